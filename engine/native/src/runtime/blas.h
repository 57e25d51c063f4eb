// The functions of a BLAS library that is loaded at run time.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace pullback {

/// Functions of cblas.h with 64-bit sizes, for one type of numbers.
template <typename T>
struct Routines {
    using Gemm = void (*)(int, int, int, std::int64_t, std::int64_t, std::int64_t, T, const T*,
                          std::int64_t, const T*, std::int64_t, T, T*, std::int64_t);
    using Gemv = void (*)(int, int, std::int64_t, std::int64_t, T, const T*, std::int64_t, const T*,
                          std::int64_t, T, T*, std::int64_t);
    using Dot = T (*)(std::int64_t, const T*, std::int64_t, const T*, std::int64_t);
    Gemm gemm = nullptr;
    Gemv gemv = nullptr;
    Dot dot = nullptr;
};

/// A library, its file and its functions.
struct Blas {
    std::string path;
    Routines<float> single;
    Routines<double> twice;
    void (*set_threads)(int) = nullptr;  // OpenBLAS, where NumPy uses it too: of the whole library
    int (*get_threads)() = nullptr;      // likewise
    int (*set_local_threads)(int) = nullptr;  // MKL: of the calling thread; returns what was
};

/// Files of libraries with cblas.h's functions for 64-bit sizes: OpenBLAS as NumPy's wheels, the
/// package scipy-openblas64 or distributions have it, or MKL. The first that can be used is, from
/// the first product on.
void set_blas_libraries(std::vector<std::string> paths);

/// The library, loaded at the first call; NULL where there is none that has everything.
const Blas* blas();

/// The file that products go to; empty where there is none. Loads it.
std::string blas_library();

/// While one lives, a library that NumPy uses too has no threads of its own; after the last, as
/// many as before.
class SingleThreadedLibrary {
  public:
    explicit SingleThreadedLibrary(const Blas& blas) : blas_(blas) {
        if (blas_.set_threads == nullptr) return;
        const std::lock_guard lock(mutex());
        if (count++ > 0) return;
        before = blas_.get_threads();
        if (before != 1) blas_.set_threads(1);
    }
    ~SingleThreadedLibrary() {
        if (blas_.set_threads == nullptr) return;
        const std::lock_guard lock(mutex());
        if (--count == 0 && before != 1) blas_.set_threads(before);
    }
    SingleThreadedLibrary(const SingleThreadedLibrary&) = delete;
    SingleThreadedLibrary& operator=(const SingleThreadedLibrary&) = delete;

  private:
    static std::mutex& mutex() {
        static auto* made = new std::mutex;
        return *made;
    }
    static inline int count = 0;
    static inline int before = 1;
    const Blas& blas_;
};

/// While it lives, the library uses no threads of its own in this one.
class SingleThreadedCaller {
  public:
    explicit SingleThreadedCaller(const Blas& blas) : set_(blas.set_local_threads) {
        if (set_ != nullptr) before_ = set_(1);
    }
    ~SingleThreadedCaller() {
        if (set_ != nullptr) set_(before_);
    }
    SingleThreadedCaller(const SingleThreadedCaller&) = delete;
    SingleThreadedCaller& operator=(const SingleThreadedCaller&) = delete;

  private:
    int (*set_)(int);
    int before_ = 0;
};
}  // namespace pullback
