// Functions of one element that the C library has, and what is made of them. Declared here, not by
// <cmath>, so that a kernel compiles fast; where the C library has vector versions, the declaration
// says so and loops call those (glibc's libmvec, at most 4 ulp). The most frequent ones of floats
// are kernel/math/exponential.h's.
#ifndef PULLBACK_KERNEL_FUNCTIONS_H_
#define PULLBACK_KERNEL_FUNCTIONS_H_

#include "pullback/kernel/math/exponential.h"

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
}

#define PB_UNARY(name, function)                           \
    inline double name(double x) { return ::function(x); } \
    inline float name(float x) { return ::function##f(x); }
#define PB_BINARY(name, function)                                              \
    inline double name(double x, double y) { return ::function(x, y); }        \
    inline float name(float x, float y) { return ::function##f(x, y); }        \
    inline double name(double x, float y) { return ::function(x, double{y}); } \
    inline double name(float x, double y) { return ::function(double{x}, y); }
namespace pb {

inline double exp(double x) { return ::exp(x); }
inline double tanh(double x) { return ::tanh(x); }
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
PB_UNARY(exp2, exp2)
PB_UNARY(expm1, expm1)
PB_UNARY(log, log)
PB_UNARY(log10, log10)
PB_UNARY(log1p, log1p)
PB_UNARY(log2, log2)
PB_UNARY(sin, sin)
PB_UNARY(sinh, sinh)
PB_UNARY(tan, tan)
PB_BINARY(arctan2, atan2)
PB_BINARY(hypot, hypot)
PB_BINARY(power, pow)
// A power of integers, whose exponent is not negative: by repeated squares, modulo 2^64.
inline int64_t power(int64_t x, int64_t n) {
    uint64_t result = 1;
    for (uint64_t base = static_cast<uint64_t>(x); n > 0; n /= 2, base *= base)
        if (n % 2 != 0) result *= base;
    return static_cast<int64_t>(result);
}

// exp(-|x|), which cannot overflow.
inline double decay(double x) { return exp(-abs(x)); }

// 1 / (1 + exp(-x))
template <typename T>
PB_IN_PLACE T sigmoid(T x) {
    const T small = decay(x);
    return (x >= T{0} ? T{1} : small) / (T{1} + small);
}

// log(1 + exp(x)), likewise.
template <typename T>
PB_IN_PLACE T softplus(T x) {
    return maximum(x, T{0}) + log1p(decay(x));
}

// sin(pi x) / (pi x), and 1 at zero.
template <typename T>
PB_IN_PLACE T sinc(T x) {
    const T t = T(3.14159265358979323846) * where<T>(x == T(0), T(1e-20), x);
    return sin(t) / t;
}

// The n-th derivative of that. With t = pi x, f(t) = sin(t) / t and its derivatives satisfy
// t f_n + n f_(n-1) = sin(t + n pi / 2). Where t is small that loses digits, and the power series
// of f is differentiated term by term: the one of t^(2k) becomes (-1)^k t^(2k-n) / ((2k + 1)
// (2k-n)!).
inline double sinc_derivative(double x, double n) {
    constexpr double kPi = 3.14159265358979323846;
    const double t = kPi * x;
    const double scale = power(kPi, n);
    if (!(abs(t) < n + 1)) {
        double found = sin(t) / t;
        for (double k = 1; k <= n; ++k) found = (sin(t + k * (kPi / 2)) - k * found) / t;
        return scale * found;
    }
    const double first = floor((n + 1) / 2);
    double term = 2 * first == n ? 1 : t;  // t^(2k-n) / (2k-n)!, up to its sign
    if (2 * floor(first / 2) != first) term = -term;
    double sum = 0;
    for (double k = first; k < n + 20; ++k) {
        sum += term / (2 * k + 1);
        term *= -t * t / ((2 * k - n + 1) * (2 * k - n + 2));
    }
    return scale * sum;
}
inline float sinc_derivative(float x, float n) {
    return static_cast<float>(sinc_derivative(double{x}, double{n}));
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_FUNCTIONS_H_
