// Functions that derivatives of special functions are made of, computed as doubles: densities,
// integrals and the members of families by their letters. engine/primitives/families.py has them
// for arrays.
#ifndef PULLBACK_KERNEL_FAMILIES_H_
#define PULLBACK_KERNEL_FAMILIES_H_

#include "pullback/kernel/math/special.h"

namespace pb {

// One result of a function of SciPy's that has several.
#define PB_ONE_OF_TWO(name, function, result)              \
    inline double name(double x) {                         \
        double results[2];                                 \
        pb_special->function(x, &results[0], &results[1]); \
        return results[result];                            \
    }                                                      \
    inline float name(float x) { return static_cast<float>(name(double{x})); }
PB_ONE_OF_TWO(sine_integral, sici, 0)
PB_ONE_OF_TWO(cosine_integral, sici, 1)
PB_ONE_OF_TWO(sinh_integral, shichi, 0)
PB_ONE_OF_TWO(cosh_integral, shichi, 1)
PB_ONE_OF_TWO(fresnel_s, fresnel, 0)
PB_ONE_OF_TWO(fresnel_c, fresnel, 1)
#undef PB_ONE_OF_TWO

#define PB_ONE_OF_FOUR(name, result)                                             \
    inline double name(double x) {                                               \
        double results[4];                                                       \
        pb_special->airy(x, &results[0], &results[1], &results[2], &results[3]); \
        return results[result];                                                  \
    }                                                                            \
    inline float name(float x) { return static_cast<float>(name(double{x})); }
PB_ONE_OF_FOUR(airy_ai, 0)
PB_ONE_OF_FOUR(airy_ai_slope, 1)
PB_ONE_OF_FOUR(airy_bi, 2)
PB_ONE_OF_FOUR(airy_bi_slope, 3)
#undef PB_ONE_OF_FOUR

#define PB_ONE_OF_FOUR(name, result)                                                  \
    inline double name(double u, double m) {                                          \
        double results[4];                                                            \
        pb_special->ellipj(u, m, &results[0], &results[1], &results[2], &results[3]); \
        return results[result];                                                       \
    }                                                                                 \
    inline float name(float u, float m) { return static_cast<float>(name(double{u}, double{m})); }
PB_ONE_OF_FOUR(jacobi_sn, 0)
PB_ONE_OF_FOUR(jacobi_cn, 1)
PB_ONE_OF_FOUR(jacobi_dn, 2)
PB_ONE_OF_FOUR(jacobi_ph, 3)
#undef PB_ONE_OF_FOUR

// The complete elliptic integrals of the parameter 1 - p: the integrals of cos^2 / delta and
// sin^2 / delta from 0 to pi / 2 with delta = sqrt(1 - (1 - p) sin^2). By Carlson's integral R_D,
// DLMF 19.25.1, and close to p = 0 by the first terms, DLMF 19.12.1 and 19.12.2.
constexpr double kSmallParameter = 1e-30;
inline double elliptic_d(double p) {
    if (p < kSmallParameter) return log(4.0) - log(p) / 2 - 1;
    return pb_special->elliprd(0, p, 1, 0) / 3;
}
inline double elliptic_b(double p) {
    if (p < kSmallParameter) return p < 0 ? __builtin_nan("") : 1.0;
    if (p > 1) return pb_special->ellipkm1(p, 0) - pb_special->elliprd(0, p, 1, 0) / 3;
    return pb_special->elliprd(0, 1, p, 0) * p / 3;
}
inline float elliptic_d(float p) { return static_cast<float>(elliptic_d(double{p})); }
inline float elliptic_b(float p) { return static_cast<float>(elliptic_b(double{p})); }

// The poles of the gamma function: zero and the negative whole numbers.
inline bool is_pole(double a) { return a <= 0 && floor(a) == a; }
// The sign of gamma(a) where it is no pole.
inline double gamma_sign(double a) { return a > 0 || fmod(floor(a), 2.0) == 0 ? 1.0 : -1.0; }
// x log(y) and x log(1 + y), zero where x is.
inline double times_log(double x, double y) { return x == 0 && !isnan(y) ? 0.0 : x * log(y); }
inline double times_log1p(double x, double y) { return x == 0 && !isnan(y) ? 0.0 : x * log1p(y); }

// The density of the gamma distribution for a large shape, around u = x / a - 1: Stirling's series
// for gamma(a), DLMF 5.11.3.
inline double gamma_density_of_large_shape(double a, double x) {
    const double u = (x - a) / a;
    double power = 0;
    if (abs(u) < 0.01) {
        const double series =
            u * u *
            (1.0 / 2 - u * (1.0 / 3 - u * (1.0 / 4 - u * (1.0 / 5 - u * (1.0 / 6 - u / 7)))));
        power = -a * series - log1p(u);
    } else {
        power = (a - 1) * log1p(u) - a * u;
    }
    return exp(power - 1 / (12 * a)) / sqrt(2 * 3.141592653589793 * a);
}

// x^(a-1) exp(-x) / gamma(a); zero where 1 / gamma(a) is.
inline double gamma_density(double a, double x) {
    if (is_pole(a) || x == __builtin_inf()) return 0;
    if (a > 1e5) return gamma_density_of_large_shape(a, x);
    return gamma_sign(a) * exp(times_log(a - 1, x) - x - gammaln(a));
}
inline float gamma_density(float a, float x) {
    return static_cast<float>(gamma_density(double{a}, double{x}));
}

// x^(a-1) (1 - x)^(b-1) / beta(a, b); zero where 1 / beta is.
inline double beta_density(double a, double b, double x) {
    if (is_pole(a) || is_pole(b)) return 0;
    const double powers = times_log(a - 1, x) + times_log1p(b - 1, -x);
    const double inverse = gammaln(a + b) - gammaln(a) - gammaln(b);
    return gamma_sign(a) * gamma_sign(b) * gamma_sign(a + b) * exp(powers + inverse);
}
inline float beta_density(float a, float b, float x) {
    return static_cast<float>(beta_density(double{a}, double{b}, double{x}));
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_FAMILIES_H_
