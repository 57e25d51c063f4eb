// Remainders and floored quotients of one element, which are NumPy's to the bit.
#ifndef PULLBACK_KERNEL_RESTS_H_
#define PULLBACK_KERNEL_RESTS_H_

#include "pullback/kernel/math/elementary.h"

// The C library has no vector versions of fmod: those that loops call are defined here.
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX2__) && defined(__FMA__)
#define PB_RESTS_OF_VECTORS
#define PB_REST __attribute__((simd("notinbranch"), const, nothrow))
#else
#define PB_REST __attribute__((const, nothrow))
#endif
extern "C" {
PB_REST double fmod(double, double);
PB_REST float fmodf(float, float);
}

#ifdef PB_RESTS_OF_VECTORS
// The same under names that have no vector versions.
extern "C" {
double pb_fmod(double, double) __asm__("fmod") __attribute__((const, nothrow));
float pb_fmodf(float, float) __asm__("fmodf") __attribute__((const, nothrow));
}

namespace pb {

template <typename T, int kWidth>
struct VectorOf {
    using Type __attribute__((vector_size(kWidth * sizeof(T)))) = T;
};

// The quotient, rounded to the nearest number and cut, is the whole one that fits or that and one
// more, where it is so small that numbers are spaced by less than one. What is left is a multiple
// of the last digit of y then, and no larger than y: it has no more digits, and the fused product
// is exact. A vector with larger quotients, infinities or zeros goes to the C library.
template <typename T, int kWidth>
typename VectorOf<T, kWidth>::Type rests(typename VectorOf<T, kWidth>::Type x,
                                         typename VectorOf<T, kWidth>::Type y) {
    constexpr bool kDouble = sizeof(T) == sizeof(double);
    constexpr T kMost = kDouble ? T(0x1p51) : T(0x1p22);
    typename VectorOf<T, kWidth>::Type left = {};
    int fits = 1;
#pragma omp simd reduction(& : fits)
    for (int i = 0; i < kWidth; ++i) {
        const T size = abs(x[i]), step = abs(y[i]);
        const T whole = trunc(size / step);
        fits &= whole < kMost;
        T more;
        if constexpr (kDouble)
            more = __builtin_fma(-whole, step, size);
        else
            more = __builtin_fmaf(-whole, step, size);
        more = whole == T{0} ? size : more;  // infinite y: x itself
        left[i] = copysign(more < T{0} ? more + step : more, x[i]);
    }
    if (fits == 0) {
        for (int i = 0; i < kWidth; ++i)
            left[i] = kDouble ? T(pb_fmod(x[i], y[i]))
                              : T(pb_fmodf(static_cast<float>(x[i]), static_cast<float>(y[i])));
    }
    return left;
}

}  // namespace pb

// The names are those of the x86-64 ABI of vector functions: the level, the number of elements.
#define PB_RESTS(level, width, T, name)                                                        \
    extern "C" __attribute__((used)) inline pb::VectorOf<T, width>::Type _ZGV##level##_##name( \
        pb::VectorOf<T, width>::Type x, pb::VectorOf<T, width>::Type y) {                      \
        return pb::rests<T, width>(x, y);                                                      \
    }
PB_RESTS(bN2vv, 2, double, fmod)
PB_RESTS(bN4vv, 4, float, fmodf)
PB_RESTS(dN4vv, 4, double, fmod)
PB_RESTS(dN8vv, 8, float, fmodf)
#if defined(__AVX512F__)
PB_RESTS(eN8vv, 8, double, fmod)
PB_RESTS(eN16vv, 16, float, fmodf)
#endif
#endif

namespace pb {

// What is left of x when whole multiples of y are taken away: the C library's fmod.
inline double rest(double x, double y) { return ::fmod(x, y); }
inline float rest(float x, float y) { return ::fmodf(x, y); }
inline double fmod(double x, double y) { return rest(x, y); }
inline float fmod(float x, float y) { return rest(x, y); }

// Python's: the remainder has the divisor's sign. Of integers by zero it is NumPy's, which is zero.
template <typename T>
T remainder(T x, T y) {
    const T r = rest(x, y);
    const T signed_zero = static_cast<T>(__builtin_copysign(T{0}, y));
    return r == T{0} ? signed_zero : ((r < T{0}) != (y < T{0}) ? r + y : r);
}
inline int64_t remainder(int64_t x, int64_t y) {
    if (y == 0 || y == -1) return 0;
    const int64_t r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// Python's: the quotient that belongs to that remainder, an integer but for what is rounded off.
template <typename T>
T floor_divide(T x, T y) {
    const T r = rest(x, y);
    const T less = (r != T{0}) & ((r < T{0}) != (y < T{0})) ? T{1} : T{0};
    const T quotient = (x - r) / y - less;
    const T below = floor(quotient);
    const T nearest = quotient - below > T(0.5) ? below + T{1} : below;
    const T signed_zero = static_cast<T>(__builtin_copysign(T{0}, x / y));
    return y == T{0} ? x / y : (quotient == T{0} ? signed_zero : nearest);
}
inline int64_t floor_divide(int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (y == -1) return static_cast<int64_t>(-static_cast<uint64_t>(x));
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_RESTS_H_
