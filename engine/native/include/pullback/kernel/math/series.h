// Special functions by series without a branch, which loops vectorize: the modified Bessel
// functions I of the orders 0 to 2, the trigamma function, the slope of sinc and the normal
// distribution; of floats also the logarithm of gamma, digamma and the inverses of erf, of erfc and
// of the normal distribution. Computed as doubles, to a few units in the last place. DLMF is the
// Digital Library of Mathematical Functions.
#ifndef PULLBACK_KERNEL_SERIES_H_
#define PULLBACK_KERNEL_SERIES_H_

#include "pullback/kernel/math/functions.h"
#include "pullback/kernel/math/polynomial.h"

namespace pb {

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

#define PB_BESSEL(name, order, scaled) \
    PB_IN_PLACE double name(double x) { return bessel_i_of_order<order, scaled>(x); }
PB_BESSEL(i0, 0, false)
PB_BESSEL(i0e, 0, true)
PB_BESSEL(i1, 1, false)
PB_BESSEL(i1e, 1, true)
PB_BESSEL(bessel_i2, 2, false)
#undef PB_BESSEL
PB_IN_PLACE float bessel_i2(float x) { return static_cast<float>(bessel_i2(double{x})); }

// Of floats, fitted at Chebyshev's points and right to eight digits: exp(-x) I0(x) and exp(-x)
// I1(x) / x by powers of x / 3.5 - 1 below 7, and both times sqrt(x) by powers of 14 / x - 1 above.
struct BesselNear0 {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {0.222802438509,    -0.123908615095,   0.105730112556,
                                     -0.100350476211,   0.09668853642,     -0.0897814230457,
                                     0.0780188286348,   -0.0626263384251,  0.0463121811621,
                                     -0.0313688088373,  0.0192699117394,   -0.0112209716114,
                                     6.60845601668e-3,  -3.22701624394e-3, 9.37481351324e-4,
                                     -4.62500378858e-4, 5.00925389814e-4,  -1.84977628004e-4};
        return kTerms[k];
    }
};
struct BesselFar0 {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {0.402659401343,   3.88591170345e-3, 1.84402717847e-4,
                                     1.79721823632e-5, 2.93514724433e-6, 8.64947105136e-7,
                                     3.68958858216e-7, 3.09044726145e-8, -4.81541040307e-8};
        return kTerms[k];
    }
};
struct BesselNear1 {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {0.0535428505237,   -0.0716832395293,  0.0773162219961,
                                     -0.074416734374,   0.0653965212267,   -0.0528239479924,
                                     0.0393276081366,   -0.0270528652392,  0.0172499435217,
                                     -0.0102031949035,  5.58050100348e-3,  -2.88351842452e-3,
                                     1.46877333931e-3,  -6.57926467106e-4, 2.06489982964e-4,
                                     -8.91575847649e-5, 7.46069616195e-5,  -2.58986973686e-5};
        return kTerms[k];
    }
};
struct BesselFar1 {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {0.388001143455,    -0.0112150407745,  -2.95075463427e-4,
                                     -2.41014563575e-5, -3.60153757104e-6, -9.92931447482e-7,
                                     -4.10558952689e-7, -4.05848539836e-8, 4.88919128703e-8};
        return kTerms[k];
    }
};
template <typename Near, typename Far, bool kOdd>
PB_IN_PLACE double scaled_bessel(double x) {
    const double size = abs(x);
    const double inner = size < 7.0 ? size : 7.0, inverse = 1.0 / (size < 7.0 ? 7.0 : size);
    double near = polynomial<Near, 18>(inner * (1 / 3.5) - 1.0);
    if constexpr (kOdd) near *= inner;
    const double far = polynomial<Far, 9>(14.0 * inverse - 1.0) * sqrt(inverse);
    const double found = size < 7.0 ? near : far;
    return kOdd ? __builtin_copysign(found, x) : found;
}
#define PB_BESSEL(number, odd)                                                                  \
    PB_IN_PLACE double scaled_i##number(double x) {                                             \
        return scaled_bessel<BesselNear##number, BesselFar##number, odd>(x);                    \
    }                                                                                           \
    PB_IN_PLACE float i##number##e(float x) { return static_cast<float>(scaled_i##number(x)); } \
    PB_IN_PLACE float i##number(float x) {                                                      \
        return static_cast<float>(scaled_i##number(x) * exp(abs(double{x})));                   \
    }
PB_BESSEL(0, false)
PB_BESSEL(1, true)
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

// (-1)^(k + 1) 2 (k + 1) / (2 k + 3)!: of sin(t) / t differentiated term by term, over t.
struct SincSlopePowers {
    static constexpr double at(int k) {
        double product = k % 2 == 0 ? -2.0 * (k + 1) : 2.0 * (k + 1);
        for (int j = 2; j <= 2 * k + 3; ++j) product /= j;
        return product;
    }
};

// The derivative of sin(pi x) / (pi x): with t = pi x it is pi (cos(t) - sin(t) / t) / t, and near
// zero, where the terms cancel, that of the power series.
PB_IN_PLACE double sinc_slope(double x) {
    constexpr double kPi = 3.14159265358979323846;
    const double t = kPi * x;
    const bool is_near = abs(t) < 1.0;
    const double near = t * polynomial<SincSlopePowers, 9>(is_near ? t * t : 0.0);
    const double cosine = sin(t + 0.5 * kPi);  // GCC makes one call of both, not vectorized
    const double far = (cosine - sin(t) / t) / t;
    return kPi * (is_near ? near : far);
}
PB_IN_PLACE float sinc_slope(float x) { return static_cast<float>(sinc_slope(double{x})); }

// The distribution function of the normal distribution: DLMF 7.2.2.
PB_IN_PLACE double ndtr(double x) { return 0.5 * erfc(-0.70710678118654752440 * x); }
PB_IN_PLACE float ndtr(float x) { return static_cast<float>(ndtr(double{x})); }

// Those of floats that are faster so only by vectors of four doubles or more.
#ifdef __AVX2__
#define PB_FLOAT_SERIES

// The logarithm of the size of the gamma function, and its derivative digamma, of a float. Both are
// those of a number above 8, where their asymptotic series are (DLMF 5.11.1 and 5.11.2), by
// gamma(x + 1) = x gamma(x); below 1/2 by gamma(x) gamma(1 - x) = pi / sin(pi x) (DLMF 5.5.3).
struct GammaPowers {
    // B_2k / (2k (2k - 1)), by powers of 1 / x^2.
    static constexpr double at(int k) {
        constexpr double kTerms[] = {1.0 / 12,    -1.0 / 360, 1.0 / 1260,
                                     -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
        return kTerms[k];
    }
};
struct DigammaPowers {
    // B_2k / 2k, likewise.
    static constexpr double at(int k) {
        constexpr double kTerms[] = {1.0 / 12,   -1.0 / 120, 1.0 / 252,
                                     -1.0 / 240, 1.0 / 132,  -691.0 / 32760};
        return kTerms[k];
    }
};

// x (x + 1) ... (x + 7) and its derivative, of an x that is not so large that they overflow.
struct EightFactors {
    double product = 1.0, derivative = 0.0;
    PB_IN_PLACE explicit EightFactors(double x) {
        for (int k = 0; k < 8; ++k) {
            derivative = derivative * (x + k) + product;
            product *= x + k;
        }
    }
};

PB_IN_PLACE float gammaln(float number) {
    constexpr double kPi = 3.14159265358979323846;
    const double x = number;
    const bool left = x < 0.5;
    const double given = left ? 1.0 - x : x;
    const double right = given > 1e60 ? 1e60 : given;  // its square does not overflow, a float does
    const double product = EightFactors(given > 1e30 ? 1e30 : given).product;
    const double far = right + 8.0, inverse = 1.0 / far;
    const double sum = (far - 0.5) * log(far) - far + 0.91893853320467274178 +
                       inverse * polynomial<GammaPowers, 6>(inverse * inverse);
    const double sine = sin(kPi * (x - round(x)));
    const double more = log(left ? product * (kPi / abs(sine)) : product);
    const double found = left ? more - sum : sum - more;
    const double finite = x == 1.0 || x == 2.0 ? 0.0 : found;
    return static_cast<float>(given > 1e300 ? x : finite);
}
PB_IN_PLACE float loggamma(float x) { return where<float>(x < 0, __builtin_nanf(""), gammaln(x)); }

PB_IN_PLACE float digamma(float number) {
    constexpr double kPi = 3.14159265358979323846;
    const double x = number;
    const bool left = x < 0.5;
    const double right = left ? 1.0 - x : x;
    const EightFactors factors(right > 1e30 ? 1e30 : right);
    const double far = right + 8.0, inverse = 1.0 / far;
    const double square = inverse * inverse;
    const double sum = log(far) - 0.5 * inverse - square * polynomial<DigammaPowers, 6>(square) -
                       factors.derivative / factors.product;
    const double nearest = round(x), angle = kPi * (x - nearest);
    const double reflected = sum - kPi / tan(angle);
    const double pole = x == 0.0 ? __builtin_copysign(__builtin_inf(), -x) : __builtin_nan("");
    const double found = left ? reflected : sum;
    return static_cast<float>(x == nearest && x <= 0.0 ? pole : found);
}

// The logarithm of B(a, b) = gamma(a) gamma(b) / gamma(a + b), a >= b > 0, by the same series:
// their large terms are those of log(a / (a + b)) and log(b / (a + b)), and nothing cancels. A b
// below 8 is raised by as much, which takes factors away.
inline double betaln_by_series(double a, double b) {
    const double shift = b < 8.0 ? 8.0 : 0.0, high = a + shift, low = b + shift, all = a + low;
    const double inverse = 1.0 / all;  // so that no product overflows
    double factors = 1.0, divisors = 1.0;
    for (int k = 0; k < shift; ++k) {
        factors *= (a + k) * inverse * (b + k);
        divisors *= (a + b + k) * inverse;
    }
    const auto rest = [](double x) { return polynomial<GammaPowers, 6>(1.0 / x / x) / x; };
    const double part = a < low ? log1p(-a * inverse) : log(low * inverse);
    return (high - 0.5) * log1p(-b * inverse) + (low - 0.5) * part + (shift - 0.5) * log(all) -
           shift + 0.91893853320467274178 + rest(high) + rest(low) - rest(all) -
           log(factors / divisors);
}

// erfinv(x) / x of floats, as polynomials in w = -log(1 - x^2), less 3.125, while that is small,
// and in its root, less 3.25 and 7.1, further out: fitted at Chebyshev's points, right to nine
// digits.
struct ErfinvNear {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {1.65365456236,      0.240158178752,    -0.00603366868735,
                                     -0.000740691655221, 0.000186731882779, -1.38917849964e-05,
                                     -1.3646157095e-06,  4.26901903954e-07, -2.91959937164e-08,
                                     -4.74423433828e-09, 1.05788143266e-09, 5.37164892892e-12,
                                     -1.33021796818e-11};
        return kTerms[k];
    }
};
struct ErfinvBetween {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {3.08388560607,     1.00525898453,      0.00537131261027,
                                     -0.00375165570785, 0.00248569690915,   -0.00168485577509,
                                     0.000982463868364, -0.000366096529753, -3.72769506029e-05,
                                     8.52533406784e-05};
        return kTerms[k];
    }
};
struct ErfinvFar {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {6.96987409574,      1.00849330717,      -0.000510433509178,
                                     8.53680129881e-06,  5.3064314747e-06,   -1.43091810103e-06,
                                     2.70676748442e-07,  -5.09115591421e-08, 9.4426900308e-09,
                                     -6.31695520919e-10, -4.437438843e-11,   -5.67947599361e-11,
                                     1.33166763041e-11};
        return kTerms[k];
    }
};

// x erfinv(y) / y, given 1 - y^2 without the digits that a difference loses.
PB_IN_PLACE float erfinv_by(float x, float rest) {
    const float w = -log(rest), root = sqrt(w);
    const float near = polynomial<ErfinvNear, 13>(w - 3.125f);
    const float between = polynomial<ErfinvBetween, 10>(root - 3.25f);
    const float far = polynomial<ErfinvFar, 13>(root - 7.1f);
    const float ratio = w < 6.25f ? near : root < 4.0f ? between : far;
    return x * (rest == 0.0f ? __builtin_inff() : ratio);
}
PB_IN_PLACE float erfinv(float x) { return erfinv_by(x, (1.0f - x) * (1.0f + x)); }
PB_IN_PLACE float erfcinv(float x) { return erfinv_by(1.0f - x, x * (2.0f - x)); }
PB_IN_PLACE float ndtri(float x) {
    return erfinv_by(1.41421356237309505f * (2.0f * x - 1.0f), 4.0f * x * (1.0f - x));
}

// (1 + 2 x) exp(x^2) erfc(x) of an x that is not negative, by powers of (x - 2.5) / (x + 2.5), as
// M. M. Shepherd and J. G. Laframboise fit it (Mathematics of Computation 36, 1981): to ten digits.
struct ErfcxPowers {
    static constexpr double at(int k) {
        constexpr double kTerms[] = {
            1.26483818438,    -0.122356763095,  -0.099024540932,   0.157629920696,
            -0.102967026892,  0.0327608579912,  9.31649790309e-4,  -4.38179370539e-3,
            4.92888047133e-4, 6.309906375e-4,   -9.09141091289e-5, -1.11051642939e-4,
            9.72785836704e-6, 1.96806237333e-5, -3.84586296892e-7, -2.25796798581e-6};
        return kTerms[k];
    }
};
PB_IN_PLACE double erfcx_right(double x) {
    return polynomial<ErfcxPowers, 16>(1.0 - 5.0 / (x + 2.5)) / (1.0 + 2.0 * x);
}
// Below zero 2 exp(x^2) less that of -x, which is beyond all floats before the exponential is.
PB_IN_PLACE float erfcx(float number) {
    const double x = number;
    const double right = erfcx_right(abs(x)), bounded = x < -20.0 ? -20.0 : x > 0.0 ? 0.0 : x;
    return static_cast<float>(x < 0.0 ? 2.0 * exp(bounded * bounded) - right : right);
}
// With e = erfcx(|x| / sqrt(2)) / 2 the distribution function is e exp(-x^2 / 2) left of zero, and
// right of it one less that. Far to the left log(e) does not count.
PB_IN_PLACE float log_ndtr(float number) {
    const double x = number, size = abs(x);
    const double half_square = 0.5 * x * x;
    const double e = 0.5 * erfcx_right(0.70710678118654752440 * (size > 1e7 ? 1e7 : size));
    const double tail = e * exp(half_square > 700.0 ? -700.0 : -half_square);
    const double found = log1p(x < 0.0 ? e - 1.0 : -tail);
    return static_cast<float>(x < 0.0 ? found - half_square : found);
}

#endif  // __AVX2__

}  // namespace pb

#endif  // PULLBACK_KERNEL_SERIES_H_
