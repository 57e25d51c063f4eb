#include "runtime/product.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "runtime/blas.h"
#include "runtime/workers.h"

namespace pullback {
namespace {

// cblas.h with 64-bit sizes.
constexpr int kRowMajor = 101;
constexpr int kAsItIs = 111;
constexpr int kTransposed = 112;
/// A matrix as BLAS takes it: rows of unit stride, or columns; any other is copied.
template <typename T>
class Matrix {
  public:
    Matrix(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t row,
           std::int64_t column)
        : data_(data) {
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
    std::int64_t leading() const { return leading_; }

  private:
    const T* data_;
    int order_ = kAsItIs;
    std::int64_t leading_ = 1;
    std::unique_ptr<T[]> copy_;
};

/// Sums += or = matrix (or its transpose) times a vector, for a matrix of rows x columns.
template <typename T>
void times_vector(const Routines<T>& routines, const Matrix<T>& matrix, bool transposed,
                  std::int64_t rows, std::int64_t columns, const T* vector, std::int64_t stride,
                  bool add, T* sums, std::int64_t step) {
    const bool stored_as_is = matrix.order() == kAsItIs;
    routines.gemv(kRowMajor, transposed == stored_as_is ? kTransposed : kAsItIs,
                  stored_as_is ? rows : columns, stored_as_is ? columns : rows, T(1), matrix.data(),
                  matrix.leading(), vector, stride, add ? T(1) : T(0), sums, step);
}

/// Rows of c are b times the elements of a: written one after the other, as memory likes it.
template <typename T>
void outer_product(const T* a, std::int64_t m, std::int64_t step, const T* b, std::int64_t n, T* c,
                   std::int64_t row) {
    for (std::int64_t i = 0; i < m; ++i) {
        const T factor = a[i * step];
        for (std::int64_t j = 0; j < n; ++j) c[i * row + j] = factor * b[j];
    }
}

/// One product of a stack, or a piece of it.
template <typename T>
void multiply(const Routines<T>& routines, const pb_product& p, std::int64_t m, std::int64_t n,
              const T* a, const T* b, T* c, bool add) {
    if (m == 1 && n == 1 && p.a_column > 0 && p.b_row > 0) {
        *c = (add ? *c : T(0)) + routines.dot(p.k, a, p.a_column, b, p.b_row);
        return;
    }
    if (m == 1 && p.a_column > 0) {
        times_vector(routines, Matrix<T>(b, p.k, n, p.b_row, p.b_column), true, p.k, n, a,
                     p.a_column, add, c, 1);
        return;
    }
    if (n == 1 && p.b_row > 0) {
        times_vector(routines, Matrix<T>(a, m, p.k, p.a_row, p.a_column), false, m, p.k, b, p.b_row,
                     add, c, p.c_row);
        return;
    }
    if (p.k == 1 && p.b_column == 1 && !add) {
        outer_product(a, m, p.a_row, b, n, c, p.c_row);
        return;
    }
    const Matrix<T> left(a, m, p.k, p.a_row, p.a_column), right(b, p.k, n, p.b_row, p.b_column);
    routines.gemm(kRowMajor, left.order(), right.order(), m, n, p.k, T(1), left.data(),
                  left.leading(), right.data(), right.leading(), add ? T(1) : T(0), c,
                  std::max(p.c_row, n));
}

constexpr std::int64_t kGrain = 16;      // pieces end at multiples of so many rows or columns
constexpr std::int64_t kNarrow = 192;    // a piece of a matrix reads all of the other operand
constexpr std::int64_t kNarrowest = 64;  // of two pieces
constexpr std::int64_t kWorthCutting = 1 << 20;       // multiplications of a product of matrices
constexpr std::int64_t kWorthCuttingTwice = 1 << 27;  // those of a piece, along its other axis
constexpr std::int64_t kWorthReading = 1 << 17;       // the same of a matrix and a vector
constexpr std::int64_t kMostSlices = 16;              // of a matrix whose rows are summed

/// The length of each piece of an axis. A power of two of them are equal shares for two threads, or
/// four.
std::int64_t piece(std::int64_t extent, std::int64_t narrowest) {
    const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(extent / narrowest, 1));
    const auto count = static_cast<std::int64_t>(std::bit_floor(most));
    return ((extent + count - 1) / count + kGrain - 1) / kGrain * kGrain;
}

std::int64_t pieces(std::int64_t extent, std::int64_t length) {
    return (extent + length - 1) / length;
}

/// A stack of products, cut into pieces.
template <typename T>
class Work {
  public:
    Work(const Blas& blas, const Routines<T>& routines, const pb_product& product)
        : blas_(blas), routines_(routines), p_(product), rows_(p_.m), columns_(p_.n) {
        for (int d = 0; d < p_.ndim; ++d) (p_.c_steps[d] != 0 ? places_ : terms_) *= p_.shape[d];
        const std::int64_t volume = p_.m * p_.n * p_.k;
        if (is_thin()) {  // each number is read or written once: memory decides
            if (volume < kWorthReading) return;
            const std::int64_t least = std::max<std::int64_t>(kGrain, kWorthReading / 4 / p_.k);
            if (p_.m == 1) {
                columns_ = piece(p_.n, least);
            } else {
                rows_ = piece(p_.m, std::max<std::int64_t>(kGrain, least / p_.n));
            }
        } else if (volume >= kWorthCutting) {
            const bool is_tall = p_.m >= p_.n;
            cut(is_tall);
            if (volume / pieces(p_.m, rows_) / pieces(p_.n, columns_) >= kWorthCuttingTwice)
                cut(!is_tall);
        }
    }

    void run() {
        const std::int64_t units = places_ * pieces(p_.m, rows_) * pieces(p_.n, columns_);
        const std::int64_t volume = p_.m * p_.n * p_.k * terms_ * places_;
        const std::int64_t each = std::max<std::int64_t>(units > 0 ? volume / units : 0, 1);
        const std::int64_t least = is_thin() ? kWorthReading / 4 : kWorthCutting / 4;
        parallel_for(
            nullptr, units, std::max<std::int64_t>(least / each, 1),
            [](void* self, std::int64_t begin, std::int64_t end) {
                static_cast<Work*>(self)->compute(begin, end);
            },
            this);
    }

  private:
    bool is_thin() const { return p_.m == 1 || p_.n == 1 || p_.k == 1; }

    /// Rows or columns: of the longer ones the pieces are of a better form, and a piece of rows
    /// lies in memory as one, where one of columns takes part of each of its cache's sets.
    void cut(bool rows) {
        const std::int64_t extent = rows ? p_.m : p_.n;
        (rows ? rows_ : columns_) = piece(extent, std::clamp(extent / 2, kNarrowest, kNarrow));
    }

    void compute(std::int64_t begin, std::int64_t end) const {
        const SingleThreadedCaller alone(blas_);
        const std::int64_t across = pieces(p_.n, columns_);
        const std::int64_t each = pieces(p_.m, rows_) * across;
        for (std::int64_t unit = begin; unit < end; ++unit) {
            const std::int64_t i = unit % each / across * rows_;
            const std::int64_t j = unit % across * columns_;
            for (std::int64_t term = 0; term < terms_; ++term) {
                one(unit / each, term, i, j, p_.add != 0 || term > 0);
            }
        }
    }

    /// The piece at row i and column j of one product of the stack.
    void one(std::int64_t place, std::int64_t term, std::int64_t i, std::int64_t j,
             bool add) const {
        const T* a = static_cast<const T*>(p_.a) + i * p_.a_row;
        const T* b = static_cast<const T*>(p_.b) + j * p_.b_column;
        T* c = static_cast<T*>(p_.c) + i * p_.c_row + j;
        for (int d = p_.ndim - 1; d >= 0; --d) {
            std::int64_t& rest = p_.c_steps[d] != 0 ? place : term;
            const std::int64_t index = rest % p_.shape[d];
            rest /= p_.shape[d];
            a += index * p_.a_steps[d];
            b += index * p_.b_steps[d];
            c += index * p_.c_steps[d];
        }
        multiply(routines_, p_, std::min(rows_, p_.m - i), std::min(columns_, p_.n - j), a, b, c,
                 add);
    }

    const Blas& blas_;
    const Routines<T>& routines_;
    const pb_product& p_;
    std::int64_t rows_;     // of a piece
    std::int64_t columns_;  // of a piece
    std::int64_t places_ = 1;
    std::int64_t terms_ = 1;  // products that are summed at each place
};

/// A vector times a matrix that lies in memory row by row, cut into slices of rows: a thread reads
/// the part of memory that it has in its cache from pointwise operators on the matrix. The sums of
/// the slices are added in order.
template <typename T>
class Slices {
  public:
    /// Of a product that is none of this, or too small, there are none.
    Slices(const Blas& blas, const Routines<T>& routines, const pb_product& p)
        : blas_(blas), routines_(routines), k_(p.k), add_(p.add != 0) {
        if (p.ndim > 0 || (p.m != 1 && p.n != 1) || p.m * p.n * p.k < kWorthReading) return;
        const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
        result_ = static_cast<T*>(p.c);
        if (p.m == 1 && p.a_column > 0 && p.b_column == 1 && p.b_row >= p.n) {
            vector_ = a, stride_ = p.a_column;
            matrix_ = b, row_ = p.b_row, columns_ = p.n;
        } else if (p.n == 1 && p.b_row > 0 && p.a_row == 1 && p.a_column >= p.m) {
            vector_ = b, stride_ = p.b_row;
            matrix_ = a, row_ = p.a_column, columns_ = p.m, step_ = p.c_row;
        } else {
            return;
        }
        rows_ = piece(k_, std::max({kGrain, kWorthReading / 4 / columns_, k_ / kMostSlices}));
        count_ = pieces(k_, rows_);
    }

    bool worth_it() const { return count_ > 1; }

    void run() {
        sums_ = std::make_unique<T[]>(static_cast<std::size_t>(count_ * columns_));
        parallel_for(
            nullptr, count_, 1,
            [](void* self, std::int64_t begin, std::int64_t end) {
                static_cast<Slices*>(self)->compute(begin, end);
            },
            this);
        for (std::int64_t slice = 1; slice < count_; ++slice) {
            const T* sums = sums_.get() + slice * columns_;
            for (std::int64_t j = 0; j < columns_; ++j)
                sums_[static_cast<std::size_t>(j)] += sums[j];
        }
        for (std::int64_t j = 0; j < columns_; ++j) {
            T& result = result_[j * step_];
            const T sum = sums_[static_cast<std::size_t>(j)];
            result = add_ ? result + sum : sum;
        }
    }

  private:
    void compute(std::int64_t begin, std::int64_t end) const {
        const SingleThreadedCaller alone(blas_);
        for (std::int64_t slice = begin; slice < end; ++slice) {
            const std::int64_t first = slice * rows_, rows = std::min(rows_, k_ - first);
            const Matrix<T> matrix(matrix_ + first * row_, rows, columns_, row_, 1);
            times_vector(routines_, matrix, true, rows, columns_, vector_ + first * stride_,
                         stride_, false, sums_.get() + slice * columns_, 1);
        }
    }

    const Blas& blas_;
    const Routines<T>& routines_;
    const T *vector_ = nullptr, *matrix_ = nullptr;
    T* result_ = nullptr;
    std::int64_t stride_ = 1, row_ = 1, step_ = 1;  // in elements: of vector, matrix and result
    std::int64_t k_, columns_ = 0;
    std::int64_t rows_ = 0;  // of a slice
    std::int64_t count_ = 0;
    bool add_;
    std::unique_ptr<T[]> sums_;
};

template <typename T>
void run_product(const Blas& blas, const Routines<T>& routines, const pb_product& product) {
    const SingleThreadedLibrary sole(blas);
    Slices<T> slices(blas, routines, product);
    if (slices.worth_it()) {
        slices.run();
    } else {
        Work<T>(blas, routines, product).run();
    }
}
}  // namespace

bool multiply_by_blas(const pb_product& product) {
    const Blas* library = blas();
    if (library == nullptr) return false;
    if (product.bits == 32) {
        run_product(*library, library->single, product);
    } else {
        run_product(*library, library->twice, product);
    }
    return true;
}

}  // namespace pullback
