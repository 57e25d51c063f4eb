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

}  // namespace pb

#endif  // PULLBACK_KERNEL_MATH_H_
