// Functions of one element. Declared here, not by <cmath>, so that a kernel compiles fast; where
// the C library has vector versions, the declaration says so and loops call those (glibc's libmvec,
// at most 4 ulp).
#ifndef PULLBACK_KERNEL_MATH_H_
#define PULLBACK_KERNEL_MATH_H_

#include "kernel_tensor.h"

#define PB_SCALAR __attribute__((const, nothrow))
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define PB_VECTOR __attribute__((simd("notinbranch"), const, nothrow))
#endif
#endif
#ifndef PB_VECTOR
#define PB_VECTOR PB_SCALAR
#endif

#define PB_DECLARE_UNARY(name, attribute) \
    attribute double name(double);        \
    attribute float name##f(float);
#define PB_DECLARE_BINARY(name, attribute) \
    attribute double name(double, double); \
    attribute float name##f(float, float);

extern "C" {
PB_DECLARE_UNARY(acos, PB_VECTOR)
PB_DECLARE_UNARY(acosh, PB_VECTOR)
PB_DECLARE_UNARY(asin, PB_VECTOR)
PB_DECLARE_UNARY(asinh, PB_VECTOR)
PB_DECLARE_UNARY(atan, PB_VECTOR)
PB_DECLARE_UNARY(atanh, PB_VECTOR)
PB_DECLARE_UNARY(cbrt, PB_VECTOR)
PB_DECLARE_UNARY(cos, PB_VECTOR)
PB_DECLARE_UNARY(cosh, PB_VECTOR)
PB_DECLARE_UNARY(erf, PB_VECTOR)
PB_DECLARE_UNARY(erfc, PB_VECTOR)
PB_DECLARE_UNARY(exp, PB_VECTOR)
PB_DECLARE_UNARY(exp2, PB_VECTOR)
PB_DECLARE_UNARY(expm1, PB_VECTOR)
PB_DECLARE_UNARY(log, PB_VECTOR)
PB_DECLARE_UNARY(log10, PB_VECTOR)
PB_DECLARE_UNARY(log1p, PB_VECTOR)
PB_DECLARE_UNARY(log2, PB_VECTOR)
PB_DECLARE_UNARY(sin, PB_VECTOR)
PB_DECLARE_UNARY(sinh, PB_VECTOR)
PB_DECLARE_UNARY(tan, PB_VECTOR)
PB_DECLARE_UNARY(tanh, PB_VECTOR)
PB_DECLARE_BINARY(atan2, PB_VECTOR)
PB_DECLARE_BINARY(hypot, PB_VECTOR)
PB_DECLARE_BINARY(pow, PB_VECTOR)
PB_DECLARE_BINARY(fmod, PB_SCALAR)
}

#define PB_UNARY(name, function)                           \
    inline double name(double x) { return ::function(x); } \
    inline float name(float x) { return ::function##f(x); }
#define PB_BINARY(name, function)                                              \
    inline double name(double x, double y) { return ::function(x, y); }        \
    inline float name(float x, float y) { return ::function##f(x, y); }        \
    inline double name(double x, float y) { return ::function(x, double{y}); } \
    inline double name(float x, double y) { return ::function(double{x}, y); }
#define PB_BUILTIN(name, function)                                   \
    inline double name(double x) { return __builtin_##function(x); } \
    inline float name(float x) { return __builtin_##function##f(x); }

namespace pb {

PB_UNARY(arccos, acos)
PB_UNARY(arccosh, acosh)
PB_UNARY(arcsin, asin)
PB_UNARY(arcsinh, asinh)
PB_UNARY(arctan, atan)
PB_UNARY(arctanh, atanh)
PB_UNARY(cbrt, cbrt)
PB_UNARY(cos, cos)
PB_UNARY(cosh, cosh)
PB_UNARY(erf, erf)
PB_UNARY(erfc, erfc)
PB_UNARY(exp, exp)
PB_UNARY(exp2, exp2)
PB_UNARY(expm1, expm1)
PB_UNARY(log, log)
PB_UNARY(log10, log10)
PB_UNARY(log1p, log1p)
PB_UNARY(log2, log2)
PB_UNARY(sin, sin)
PB_UNARY(sinh, sinh)
PB_UNARY(tan, tan)
PB_UNARY(tanh, tanh)
PB_BINARY(arctan2, atan2)
PB_BINARY(fmod, fmod)
PB_BINARY(hypot, hypot)
PB_BINARY(power, pow)
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

// NumPy's: a NaN on either side is the result.
template <typename T>
T maximum(T x, T y) {
    return x >= y || x != x ? x : y;
}
template <typename T>
T minimum(T x, T y) {
    return x <= y || x != x ? x : y;
}

// NumPy's: a NaN is the result only where both are.
template <typename T>
T fmax(T x, T y) {
    return x >= y || y != y ? x : y;
}
template <typename T>
T fmin(T x, T y) {
    return x <= y || y != y ? x : y;
}

// log(exp(x) + exp(y)), and the same to base 2, by the distance, whose exp cannot overflow. Where
// the two exponentials sum to about one, the terms cancel: floats are added as doubles, and of
// doubles as many digits are lost as NumPy loses.
inline double logaddexp(double x, double y) {
    const double distance = x == y ? 0.0 : abs(x - y);
    return maximum(x, y) + log1p(exp(-distance));
}
inline double logaddexp2(double x, double y) {
    const double distance = x == y ? 0.0 : abs(x - y);
    return maximum(x, y) + log1p(exp2(-distance)) * 1.4426950408889634;
}
inline float logaddexp(float x, float y) {
    return static_cast<float>(logaddexp(double{x}, double{y}));
}
inline float logaddexp2(float x, float y) {
    return static_cast<float>(logaddexp2(double{x}, double{y}));
}

// 1 / (1 + exp(-x)) by exp(-|x|), which cannot overflow.
template <typename T>
T sigmoid(T x) {
    const T decay = exp(-abs(x));
    return (x >= T{0} ? T{1} : decay) / (T{1} + decay);
}

// log(1 + exp(x)), likewise.
template <typename T>
T softplus(T x) {
    return maximum(x, T{0}) + log1p(exp(-abs(x)));
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

// Python's: the remainder has the divisor's sign.
template <typename T>
T remainder(T x, T y) {
    const T r = static_cast<T>(::fmod(x, y));
    if (r == T{0}) return static_cast<T>(__builtin_copysign(T{0}, y));
    return (r < T{0}) != (y < T{0}) ? r + y : r;
}
inline int64_t remainder(int64_t x, int64_t y) {
    const int64_t r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// Python's: the quotient that belongs to that remainder.
template <typename T>
T floor_divide(T x, T y) {
    if (y == T{0}) return x / y;
    const T rest = static_cast<T>(::fmod(x, y));
    const T quotient = (x - rest) / y - (rest != T{0} && (rest < T{0}) != (y < T{0}) ? T{1} : T{0});
    return quotient == T{0} ? static_cast<T>(__builtin_copysign(T{0}, x / y)) : round(quotient);
}
inline int64_t floor_divide(int64_t x, int64_t y) { return (x - remainder(x, y)) / y; }

}  // namespace pb

#endif  // PULLBACK_KERNEL_MATH_H_
