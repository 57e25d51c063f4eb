// Python's arithmetic of numbers. Where Python raises, or gives a complex number or an integer of
// more than 64 bits, a kernel refuses, and the formula's Python runs.
#ifndef PULLBACK_KERNEL_NUMBERS_H_
#define PULLBACK_KERNEL_NUMBERS_H_

#include "pullback/kernel/math/functions.h"
#include "pullback/kernel/math/rests.h"

namespace pb {

inline bool divides(Outcome& outcome, bool nonzero) {
    return outcome.require(nonzero, PB_UNSUPPORTED, "a division of a number by zero");
}
inline bool in_64_bits(Outcome& outcome, bool fits) {
    return outcome.require(fits, PB_UNSUPPORTED, "an integer of more than 64 bits");
}

inline double quotient(Outcome& outcome, double x, double y) {
    return divides(outcome, y != 0) ? x / y : 0;
}
inline double whole_quotient(Outcome& outcome, double x, double y) {
    return divides(outcome, y != 0) ? floor_divide(x, y) : 0;
}
inline int64_t whole_quotient(Outcome& outcome, int64_t x, int64_t y) {
    const bool fits = y != -1 || x != INT64_MIN;
    return divides(outcome, y != 0) && in_64_bits(outcome, fits) ? floor_divide(x, y) : 0;
}
template <typename T>
T whole_remainder(Outcome& outcome, T x, T y) {
    return divides(outcome, y != 0) ? remainder(x, y) : T{0};
}

inline int64_t integer_sum(Outcome& outcome, int64_t x, int64_t y) {
    int64_t result = 0;
    return in_64_bits(outcome, !__builtin_add_overflow(x, y, &result)) ? result : 0;
}
inline int64_t integer_difference(Outcome& outcome, int64_t x, int64_t y) {
    int64_t result = 0;
    return in_64_bits(outcome, !__builtin_sub_overflow(x, y, &result)) ? result : 0;
}
inline int64_t integer_product(Outcome& outcome, int64_t x, int64_t y) {
    int64_t result = 0;
    return in_64_bits(outcome, !__builtin_mul_overflow(x, y, &result)) ? result : 0;
}
inline int64_t integer_power(Outcome& outcome, int64_t base, int64_t exponent) {
    if (!outcome.require(exponent >= 0, PB_UNSUPPORTED, "a negative power of an integer")) return 0;
    int64_t result = 1;
    for (int64_t left = exponent; left > 0 && outcome.ok(); left /= 2) {
        if (left % 2 != 0) result = integer_product(outcome, result, base);
        if (left > 1) base = integer_product(outcome, base, base);
    }
    return outcome.ok() ? result : 0;
}

// The integer that a whole number is.
inline int64_t integer_of(Outcome& outcome, double whole) {
    const bool fits = whole >= -0x1p63 && whole < 0x1p63;
    return in_64_bits(outcome, fits) ? static_cast<int64_t>(whole) : 0;
}

// The value of a function, which of finite numbers is a finite number.
inline double in_domain(Outcome& outcome, double value, bool finite, bool is_nan) {
    const bool there = isfinite(value) || (isnan(value) ? is_nan : !finite);
    outcome.require(there, PB_UNSUPPORTED, "a function of a number outside of its domain or range");
    return value;
}
#define PB_OF_MATH(name)                                           \
    inline double math_##name(Outcome& outcome, double x) {        \
        return in_domain(outcome, name(x), isfinite(x), isnan(x)); \
    }
PB_OF_MATH(sqrt)
PB_OF_MATH(exp)
PB_OF_MATH(log)
PB_OF_MATH(sin)
PB_OF_MATH(cos)
PB_OF_MATH(tan)
PB_OF_MATH(asin)
PB_OF_MATH(acos)
PB_OF_MATH(atan)
PB_OF_MATH(sinh)
PB_OF_MATH(cosh)
PB_OF_MATH(tanh)
PB_OF_MATH(log1p)
PB_OF_MATH(expm1)
PB_OF_MATH(log2)
PB_OF_MATH(log10)
PB_OF_MATH(asinh)
PB_OF_MATH(acosh)
PB_OF_MATH(atanh)
PB_OF_MATH(cbrt)
PB_OF_MATH(exp2)
#undef PB_OF_MATH
inline double math_atan2(Outcome&, double y, double x) { return atan2(y, x); }
inline double math_hypot(Outcome& outcome, double x, double y) {
    return in_domain(outcome, hypot(x, y), isfinite(x) && isfinite(y), isnan(x) || isnan(y));
}
inline double float_power(Outcome& outcome, double base, double exponent) {
    const bool finite = isfinite(base) && isfinite(exponent);
    return in_domain(outcome, power(base, exponent), finite, isnan(base) || isnan(exponent));
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_NUMBERS_H_
