// The exponential of a float and what is made of it, in instructions that a loop vectorizes in
// place: a call of a vector function would cost the registers of all others. They are right to 4
// ulp, also where results are subnormal, and NaN where x is. How x is reduced is in J.-M. Muller,
// "Elementary Functions" (2016); the polynomials are minimax, by the algorithm of Remez.
#ifndef PULLBACK_KERNEL_EXPONENTIAL_H_
#define PULLBACK_KERNEL_EXPONENTIAL_H_

#include "pullback/kernel/math/elementary.h"

// Of any length: a loop that calls one is not vectorized.
#define PB_IN_PLACE __attribute__((always_inline)) inline

namespace pb {

// a b + c, rounded once where the processor does that in one instruction.
PB_IN_PLACE float multiply_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}
PB_IN_PLACE double multiply_add(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// A number n that is rounded to an integer, and 2**(n + kMore). Adding 1.5 * 2**23 leaves the
// integer in the last bits, here with the exponent's bias, so that a shift puts it where the
// exponent is.
template <int kMore = 0>
struct Rounded {
    float sum;

    static constexpr float kShift = 12582912.0F + 127.0F + kMore;
    PB_IN_PLACE Rounded(float x, float factor) : sum(multiply_add(x, factor, kShift)) {}
    PB_IN_PLACE void bound(float most) {
        const int32_t bits = __builtin_bit_cast(int32_t, sum);
        const int32_t last = __builtin_bit_cast(int32_t, kShift + most);
        sum = __builtin_bit_cast(float, bits < last ? bits : last);
    }
    PB_IN_PLACE float number() const { return sum - kShift; }
    PB_IN_PLACE float power() const {
        return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, sum) << 23U);
    }
};

// exp(x) = 2**n exp(r) 2**n with n = round(x / 2 log(2)), |r| <= log(2): no power overflows. An n
// that is too large is bounded by its bits, which are in the order of positive floats: of two bounds
// by comparisons of floats GCC makes seven instructions. Further out r only grows.
PB_IN_PLACE float exp(float x) {
    const float bounded = x < -104.0F ? -104.0F : x;
    Rounded<> n(bounded, 0.72134752F);
    n.bound(65.0F);
    const float r = multiply_add(n.number(), -2.8572137e-6F,
                                 multiply_add(n.number(), -1.38629150390625F, bounded));
    float sum = 0.00019611599F;
    sum = multiply_add(sum, r, 0.0014104470F);
    sum = multiply_add(sum, r, 0.0083361035F);
    sum = multiply_add(sum, r, 0.041661270F);
    sum = multiply_add(sum, r, 0.16666614F);
    sum = multiply_add(sum, r, 0.50000036F);
    sum = multiply_add(sum, r, 1.0F);
    sum = multiply_add(sum, r, 1.0F);
    return sum * n.power() * n.power();
}

// exp(-|x|) = 2**n exp(r) with n = round(-|x| / log(2)), |r| <= log(2) / 2. The power is a
// subnormal number where n is below -126, and 2**(n + 64) is none.
PB_IN_PLACE float decay(float x) {
    const float falling = -abs(x);
    const float bounded = falling < -104.0F ? -104.0F : falling;
    const Rounded<64> n(bounded, 1.44269504F);
    const float r = multiply_add(n.number(), 2.9088971e-5F,
                                 multiply_add(n.number(), -0.69317626953125F, bounded));
    float sum = 0.001381454F;
    sum = multiply_add(sum, r, 0.008368745F);
    sum = multiply_add(sum, r, 0.04166839F);
    sum = multiply_add(sum, r, 0.16666521F);
    sum = multiply_add(sum, r, 0.49999994F);
    sum = multiply_add(sum, r, 1.0F);
    sum = multiply_add(sum, r, 1.0F);
    return sum * n.power() * 5.421010862427522e-20F;
}

// h / (1 - h) with 2 h = 1 - exp(-2 |x|) = 1 - 2**n exp(-2 r), |r| <= log(2) / 4: nothing cancels.
PB_IN_PLACE float tanh(float x) {
    const float bounded = abs(x) > 10.0F ? 10.0F : abs(x);
    const Rounded<> n(bounded, -2.8853901F);
    const float r = multiply_add(n.number(), 7.1430342e-7F,
                                 multiply_add(n.number(), 0.3465728759765625F, bounded));
    float sum = -0.044424050F;
    sum = multiply_add(sum, r, 0.13386476F);
    sum = multiply_add(sum, r, -0.33333760F);
    sum = multiply_add(sum, r, 0.66666174F);
    sum = multiply_add(sum, r, -0.99999994F);
    sum = multiply_add(sum * r, r, r);
    const float half = multiply_add(sum, n.power(), multiply_add(n.power(), -0.5F, 0.5F));
    return __builtin_copysignf(half / (1.0F - half), x);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_EXPONENTIAL_H_
