// Special functions by series without a branch, which loops vectorize: the modified Bessel
// functions I of the orders 0 to 2, the trigamma function, and the normal distribution. Computed as
// doubles, to a few units in the last place. DLMF is the Digital Library of Mathematical Functions.
#ifndef PULLBACK_KERNEL_SERIES_H_
#define PULLBACK_KERNEL_SERIES_H_

#include "pullback/kernel/math/functions.h"

namespace pb {

// The polynomial c(k) + c(k + 1) x + ... of N coefficients: those of even and of odd powers by
// Horner's scheme each, which a processor computes side by side.
template <typename Coefficients, int kNext, int kEnd>
PB_IN_PLACE double every_other(double x) {
    constexpr double kFirst = Coefficients::at(kNext);
    if constexpr (kNext + 2 < kEnd) {
        return kFirst + x * every_other<Coefficients, kNext + 2, kEnd>(x);
    } else {
        return kFirst;
    }
}
template <typename Coefficients, int kEnd>
PB_IN_PLACE double polynomial(double x) {
    return every_other<Coefficients, 0, kEnd>(x * x) +
           x * every_other<Coefficients, 1, kEnd>(x * x);
}

// Where the power series of I gives way to the asymptotic one, and how many terms they need there.
constexpr double kFarBessel = 24.0;
constexpr int kBesselTerms = 42;
constexpr int kFarBesselTerms = 24;

// 1 / (k! (n + k)!): DLMF 10.25.2 in powers of (x / 2)^2, without the factor (x / 2)^n.
template <int n>
struct BesselPowers {
    static constexpr double at(int k) {
        double product = 1;
        for (int j = 1; j <= n; ++j) product /= j;
        for (int j = 1; j <= k; ++j) product /= static_cast<double>(j) * (n + j);
        return product;
    }
};

// (-1)^k a_k(n): DLMF 10.40.1 in powers of 1 / x, without the factor exp(x) / sqrt(2 pi x).
template <int n>
struct BesselFarPowers {
    static constexpr double at(int k) {
        double product = 1;
        for (int j = 1; j <= k; ++j)
            product *= -(4.0 * n * n - (2.0 * j - 1) * (2.0 * j - 1)) / (8.0 * j);
        return product;
    }
};

// I_n(x) of whole orders, times exp(-|x|) where `kScaled`. Far out exp(|x| / 2) comes in twice: the
// result is finite for longer than exp(|x|).
template <int n, bool kScaled>
PB_IN_PLACE double bessel_i_of_order(double x) {
    const double size = abs(x);
    const double half = 0.5 * (size < kFarBessel ? size : kFarBessel);
    double near = polynomial<BesselPowers<n>, kBesselTerms>(half * half);
    for (int j = 0; j < n; ++j) near *= half;
    const double bounded = size > 2000.0 ? 2000.0 : size;
    const double inverse = 1.0 / (size < kFarBessel ? kFarBessel : size);
    double far = polynomial<BesselFarPowers<n>, kFarBesselTerms>(inverse) *
                 sqrt(0.15915494309189535 * inverse);
    const double root = exp(kScaled ? -0.5 * bounded : 0.5 * bounded);
    if constexpr (kScaled) {
        near *= exp(-size);
    } else {
        far = far * root * root;
    }
    const double found = size < kFarBessel ? near : far;
    return n % 2 == 0 ? found : __builtin_copysign(found, x);
}

#define PB_BESSEL(name, order, scaled)                                                \
    PB_IN_PLACE double name(double x) { return bessel_i_of_order<order, scaled>(x); } \
    PB_IN_PLACE float name(float x) {                                                 \
        return static_cast<float>(bessel_i_of_order<order, scaled>(double{x}));       \
    }
PB_BESSEL(i0, 0, false)
PB_BESSEL(i0e, 0, true)
PB_BESSEL(i1, 1, false)
PB_BESSEL(i1e, 1, true)
PB_BESSEL(bessel_i2, 2, false)
#undef PB_BESSEL

// B_2k / x^(2k - 2) of DLMF 5.15.8, whose sum times 1 / x^3 is what the far trigamma function has
// besides 1 / x + 1 / (2 x^2).
struct TrigammaPowers {
    static constexpr double at(int k) {
        constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30,      1.0 / 42, -1.0 / 30,
                                         5.0 / 66,      -691.0 / 2730,  7.0 / 6,  -3617.0 / 510,
                                         43867.0 / 798, -174611.0 / 330};
        return kBernoulli[k];
    }
};

// The derivative of digamma. By psi'(x) = psi'(x + 1) + 1 / x^2 (DLMF 5.15.5) it is that of a
// number above 8, where the asymptotic series is; below 1/2 by psi'(x) + psi'(1 - x) = (pi / sin(pi
// x))^2 (DLMF 5.15.6).
PB_IN_PLACE double trigamma(double x) {
    constexpr double kPi = 3.14159265358979323846;
    const bool left = x < 0.5;
    const double right = left ? 1.0 - x : x;
    const double bounded = right > 1e60 ? 1e60 : right;  // squares of squares do not overflow
    double squares = 0;
    for (int k = 0; k < 8; k += 2) {
        const double a = (bounded + k) * (bounded + k), b = (bounded + k + 1) * (bounded + k + 1);
        squares += (a + b) / (a * b);
    }
    const double inverse = 1.0 / (right + 8.0);
    const double square = inverse * inverse;
    const double sum = (right > 1e60 ? 0.0 : squares) + inverse +
                       square * (0.5 + inverse * polynomial<TrigammaPowers, 10>(square));
    const double nearest = round(x);
    const double sine = sin(kPi * (x - nearest));
    const double reflected = kPi / sine * (kPi / sine) - sum;
    const double found = left ? reflected : sum;
    return x == nearest && x <= 0.0 ? __builtin_inf() : found;
}
PB_IN_PLACE float trigamma(float x) { return static_cast<float>(trigamma(double{x})); }

// The distribution function of the normal distribution: DLMF 7.2.2.
PB_IN_PLACE double ndtr(double x) { return 0.5 * erfc(-0.70710678118654752440 * x); }
PB_IN_PLACE float ndtr(float x) { return static_cast<float>(ndtr(double{x})); }

}  // namespace pb

#endif  // PULLBACK_KERNEL_SERIES_H_
