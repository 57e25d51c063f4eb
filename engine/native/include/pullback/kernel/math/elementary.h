// Functions of one element that are a few instructions.
#ifndef PULLBACK_KERNEL_MATH_H_
#define PULLBACK_KERNEL_MATH_H_

#include "pullback/kernel/tensor.h"

#define PB_BUILTIN(name, function)                                   \
    inline double name(double x) { return __builtin_##function(x); } \
    inline float name(float x) { return __builtin_##function##f(x); }

namespace pb {

PB_BUILTIN(abs, fabs)
PB_BUILTIN(ceil, ceil)
PB_BUILTIN(floor, floor)
PB_BUILTIN(round, rint)
PB_BUILTIN(sqrt, sqrt)
PB_BUILTIN(trunc, trunc)

inline int64_t abs(int64_t x) { return x < 0 ? -x : x; }

template <typename T>
T copysign(T x, T y) {
    return static_cast<T>(__builtin_copysign(x, y));
}

template <typename T>
T square(T x) {
    return x * x;
}

// Both sides are there: a loop of them can be vectorized on any processor.
template <typename T>
T where(bool condition, T x, T y) {
    return condition ? x : y;
}

// The same by an element of an array: GCC vectorizes choices by bytes in memory, and none by a bool
// there. What is computed in a row's place is no such element.
template <typename T>
T where_stored(const bool& condition, T x, T y) {
    return reinterpret_cast<const unsigned char&>(condition) != 0 ? x : y;
}
template <typename T>
T where_stored(bool&& condition, T x, T y) {
    return condition ? x : y;
}

// NumPy's: a NaN on either side is the result, and `x` where the two are equal. These choose twice,
// each time by one comparison: GCC does not vectorize a choice by two of them inside another one.
template <typename T>
T maximum(T x, T y) {
    return y != y ? y : (x < y ? y : x);
}
template <typename T>
T minimum(T x, T y) {
    return y != y ? y : (y < x ? y : x);
}

// NumPy's: a NaN is the result only where both are.
template <typename T>
T fmax(T x, T y) {
    return x != x ? y : (x < y ? y : x);
}
template <typename T>
T fmin(T x, T y) {
    return x != x ? y : (y < x ? y : x);
}

template <typename T>
T sign(T x) {
    return x != x ? x : static_cast<T>((x > T{0}) - (x < T{0}));
}

template <typename T>
bool isnan(T x) {
    return x != x;
}
template <typename T>
bool isfinite(T x) {
    return x - x == T{0};
}
template <typename T>
bool isinf(T x) {
    return x == x && !isfinite(x);
}
inline bool signbit(double x) { return __builtin_signbit(x) != 0; }
inline bool signbit(float x) { return __builtin_signbit(x) != 0; }

// What is left of x when whole multiples of y are taken away: the C library's fmod.
inline double rest(double x, double y) { return __builtin_fmod(x, y); }

// That of floats, exactly as well: doubles hold what is left after so many of the multiples 2^288
// y, 2^240 y, ... and y itself as fit. A quotient is less than 2^49 each time, and at most one too
// large, which makes what is left negative until the end.
inline float rest(float x, float y) {
#if defined(__FMA__) || defined(__aarch64__)
    const double size = abs(double{x}), step = abs(double{y});
    const double divisor = step > 1e200 ? 1e200 : step;  // infinite: x itself is left
    const double inverse = 1.0 / divisor;
    double left = size;
    double scale = 0x1p240;
    for (int k = 0; k < 6; ++k, scale *= 0x1p-48) {
        left = __builtin_fma(-trunc(left * (inverse / scale)), divisor * scale, left);
    }
    left = left < 0.0 ? left + divisor : left;
    left = left >= divisor ? left - divisor : left;
    return __builtin_copysignf(static_cast<float>(left), x);
#else
    return __builtin_fmodf(x, y);
#endif
}

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

#endif  // PULLBACK_KERNEL_MATH_H_
