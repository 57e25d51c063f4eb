// The logarithm of a sum of two exponentials: log(exp(x) + exp(y)), and the same to base 2, by the
// distance, whose exp cannot overflow. Where the two exponentials sum to about one, the terms
// cancel: floats are added as doubles, and of doubles as many digits are lost as NumPy loses.
#ifndef PULLBACK_KERNEL_LOGADDEXP_H_
#define PULLBACK_KERNEL_LOGADDEXP_H_

#include "pullback/kernel/math/functions.h"
#include "pullback/kernel/math/polynomial.h"

namespace pb {

inline double logaddexp(double x, double y) {
    const double distance = x == y ? 0.0 : abs(x - y);
    return maximum(x, y) + log1p(exp(-distance));
}
inline double logaddexp2(double x, double y) {
    const double distance = x == y ? 0.0 : abs(x - y);
    return maximum(x, y) + log1p(exp2(-distance)) * 1.4426950408889634;
}

// exp(r) for |r| <= log(2) / 2, and 2 artanh(t) / t by powers of t^2 <= 1/25: minimax polynomials.
struct ExpPowers {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {1.0,
                                     1.000000000000006742,
                                     0.5000000000000005617,
                                     0.1666666666655440447,
                                     0.04166666666657314261,
                                     8.333333385667782471e-3,
                                     1.388888893248859818e-3,
                                     1.98411702704400684e-4,
                                     2.480150434699768726e-5,
                                     2.764018079620985113e-6,
                                     2.762635724144722286e-7};
        return kTerms[k];
    }
};
struct ArtanhPowers {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {1.999999999999999973,  0.666666666666753708,
                                     0.3999999999543685127, 0.2857142948152904478,
                                     0.2222213325130357486, 0.1818652706825193325,
                                     0.1524735291444782466, 0.1538700299827247222};
        return kTerms[k];
    }
};

// log(1 + e) of an e = 2**n exp(r) of at most one, and zero where r is NaN, in instructions that a
// loop vectorizes in place. It is 2 artanh(e / (2 + e)), or log(2) more than 2 artanh((e - 1) / (e
// + 3)): exact at both ends. Adding 1.5 * 2**52 leaves n in the last bits, with the exponent's
// bias.
PB_IN_PLACE double log1p_of_power(double shifted, double r) {
    const double power = __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, shifted) << 52U);
    const double e = power * polynomial<ExpPowers, 11>(r);
    const bool high = e > 0.5;
    const double t = (high ? e - 1.0 : e) / (high ? e + 3.0 : e + 2.0);
    return multiply_add(t, polynomial<ArtanhPowers, 8>(t * t), high ? 0.69314718055994531 : 0.0);
}
constexpr double kShiftOfDoubles = 0x1.8p52 + 1023.0;

// Infinities of one sign have no distance: their maximum is the result.
PB_IN_PLACE float logaddexp(float x, float y) {
    const double distance = abs(double{x} - double{y});
    const double bounded = distance < 150.0 ? -distance : -150.0;
    const double shifted = multiply_add(bounded, 1.4426950408889634, kShiftOfDoubles);
    const double n = shifted - kShiftOfDoubles;
    const double r = multiply_add(n, -1.90821492927058770002e-10,
                                  multiply_add(n, -6.93147180369123816490e-01, bounded));
    return static_cast<float>(double{maximum(x, y)} + log1p_of_power(shifted, r));
}
PB_IN_PLACE float logaddexp2(float x, float y) {
    const double distance = abs(double{x} - double{y});
    const double bounded = distance < 200.0 ? -distance : -200.0;
    const double shifted = bounded + kShiftOfDoubles;
    const double r = (bounded - (shifted - kShiftOfDoubles)) * 0.69314718055994531;
    const double more = log1p_of_power(shifted, r) * 1.4426950408889634;
    return static_cast<float>(double{maximum(x, y)} + more);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LOGADDEXP_H_
