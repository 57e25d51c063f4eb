#include "pullback/services.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "pullback/allocator.h"
#include "pullback/workers.h"

namespace pullback {
namespace {

// cblas.h of a library with 64-bit sizes.
constexpr int kRowMajor = 101;
constexpr int kAsItIs = 111;
constexpr int kTransposed = 112;

template <typename T>
struct Routines {
    using Gemm = void (*)(int, int, int, std::int64_t, std::int64_t, std::int64_t, T, const T*,
                          std::int64_t, const T*, std::int64_t, T, T*, std::int64_t);
    using Gemv = void (*)(int, int, std::int64_t, std::int64_t, T, const T*, std::int64_t, const T*,
                          std::int64_t, T, T*, std::int64_t);
    Gemm gemm = nullptr;
    Gemv gemv = nullptr;
};

struct Blas {
    Routines<float> single;
    Routines<double> twice;
    void (*set_threads)(int) = nullptr;
};

std::string& library_path() {
    static auto* path = new std::string;
    return *path;
}

std::atomic<void (*)(int)> set_threads{nullptr};  // of a library that is loaded

template <typename F>
bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

/// The library, loaded at the first call; NULL where there is none that has everything.
const Blas* blas() {
    static const Blas* const loaded = []() -> const Blas* {
        void* library = library_path().empty()
                            ? nullptr
                            : dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return nullptr;
        auto found = std::make_unique<Blas>();
        const bool complete =
            find(library, "scipy_cblas_sgemm64_", found->single.gemm) &&
            find(library, "scipy_cblas_sgemv64_", found->single.gemv) &&
            find(library, "scipy_cblas_dgemm64_", found->twice.gemm) &&
            find(library, "scipy_cblas_dgemv64_", found->twice.gemv) &&
            find(library, "scipy_openblas_set_num_threads64_", found->set_threads);
        if (!complete) return nullptr;
        found->set_threads(num_threads());
        set_threads.store(found->set_threads);
        return found.release();
    }();
    return loaded;
}

/// A matrix as BLAS takes it: rows of unit stride, or columns; any other is copied.
template <typename T>
class Matrix {
  public:
    Matrix(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t row,
           std::int64_t column)
        : data_(static_cast<const T*>(data)) {
        if ((column == 1 || columns == 1) && (row >= columns || rows == 1)) {
            leading_ = std::max({row, columns, std::int64_t{1}});
        } else if ((row == 1 || rows == 1) && (column >= rows || columns == 1)) {
            order_ = kTransposed;
            leading_ = std::max({column, rows, std::int64_t{1}});
        } else {
            copy_ = std::make_unique<T[]>(static_cast<std::size_t>(rows * columns));
            for (std::int64_t i = 0; i < rows; ++i) {
                for (std::int64_t j = 0; j < columns; ++j) {
                    copy_[static_cast<std::size_t>(i * columns + j)] = data_[i * row + j * column];
                }
            }
            data_ = copy_.get();
            leading_ = std::max<std::int64_t>(columns, 1);
        }
    }
    const T* data() const { return data_; }
    int order() const { return order_; }
    int other_order() const { return order_ == kAsItIs ? kTransposed : kAsItIs; }
    std::int64_t leading() const { return leading_; }

  private:
    const T* data_;
    int order_ = kAsItIs;
    std::int64_t leading_ = 1;
    std::unique_ptr<T[]> copy_;
};

/// matrix (or its transpose) times a vector, for a matrix of rows x columns.
template <typename T>
void times_vector(const Routines<T>& routines, const Matrix<T>& matrix, bool transposed,
                  std::int64_t rows, std::int64_t columns, const void* vector, std::int64_t stride,
                  void* result) {
    const bool stored_as_is = matrix.order() == kAsItIs;
    routines.gemv(kRowMajor, transposed == stored_as_is ? kTransposed : kAsItIs,
                  stored_as_is ? rows : columns, stored_as_is ? columns : rows, T(1), matrix.data(),
                  matrix.leading(), static_cast<const T*>(vector), stride, T(0),
                  static_cast<T*>(result), 1);
}

template <typename T>
void multiply(const Routines<T>& routines, std::int64_t m, std::int64_t n, std::int64_t k,
              const void* a, std::int64_t a_row, std::int64_t a_column, const void* b,
              std::int64_t b_row, std::int64_t b_column, void* c) {
    if (m == 0 || n == 0) return;
    if (k == 0) {
        std::memset(c, 0, static_cast<std::size_t>(m * n) * sizeof(T));
        return;
    }
    if (m == 1 && a_column > 0) {
        times_vector(routines, Matrix<T>(b, k, n, b_row, b_column), true, k, n, a, a_column, c);
        return;
    }
    if (n == 1 && b_row > 0) {
        times_vector(routines, Matrix<T>(a, m, k, a_row, a_column), false, m, k, b, b_row, c);
        return;
    }
    const Matrix<T> left(a, m, k, a_row, a_column), right(b, k, n, b_row, b_column);
    routines.gemm(kRowMajor, left.order(), right.order(), m, n, k, T(1), left.data(),
                  left.leading(), right.data(), right.leading(), T(0), static_cast<T*>(c), n);
}

void gemm(void* context, std::int32_t bits, std::int64_t m, std::int64_t n, std::int64_t k,
          const void* a, std::int64_t a_row, std::int64_t a_column, const void* b,
          std::int64_t b_row, std::int64_t b_column, void* c) {
    if (const Blas* library = blas()) {
        if (bits == 32) {
            multiply(library->single, m, n, k, a, a_row, a_column, b, b_row, b_column, c);
        } else {
            multiply(library->twice, m, n, k, a, a_row, a_column, b, b_row, b_column, c);
        }
        return;
    }
    const auto* fallback = static_cast<const pb_runtime*>(context);
    fallback->gemm(fallback->context, bits, m, n, k, a, a_row, a_column, b, b_row, b_column, c);
}

// A kernel gives back memory without its size, which stands in front of it.
constexpr std::size_t kFront = 64;

void* alloc(void*, std::size_t bytes) {
    char* block = take_block(bytes + kFront);
    if (block == nullptr) return nullptr;
    std::memcpy(block, &bytes, sizeof bytes);
    return block + kFront;
}

void give_back(void*, void* memory) {
    if (memory == nullptr) return;
    char* block = static_cast<char*>(memory) - kFront;
    std::size_t bytes = 0;
    std::memcpy(&bytes, block, sizeof bytes);
    give_block(block, bytes + kFront);
}

}  // namespace

const pb_runtime* services(const pb_runtime* fallback) {
    static const pb_runtime table{const_cast<pb_runtime*>(fallback), alloc, give_back, parallel_for,
                                  gemm};
    return &table;
}

void set_blas_library(std::string path) { library_path() = std::move(path); }

bool has_blas() { return blas() != nullptr; }

void set_blas_threads(int count) {
    if (auto* function = set_threads.load()) function(count);
}

}  // namespace pullback
