// Special functions of one element, computed as doubles.
//
// Most are SciPy's own, by the addresses that scipy.special.cython_special exports, so that a
// kernel and the reference engine compute the same. Without them a kernel refuses. Those that loops
// vectorize are kernel/math/series.h's.
#ifndef PULLBACK_KERNEL_SPECIAL_H_
#define PULLBACK_KERNEL_SPECIAL_H_

#include "pullback/kernel/math/rests.h"
#include "pullback/kernel/math/series.h"

// Those of one to four arguments; pullback.engine.kernels.special has the same names.
// clang-format off
#define PB_SPECIAL_UNARY(X) PB_SPECIAL_IN_SERIES(X) PB_SPECIAL_OF_SCIPY(X)
#define PB_SPECIAL_IN_SERIES(X) X(erfinv) X(erfcinv) X(ndtri) X(gammaln) X(loggamma) X(digamma) X(erfcx) X(log_ndtr)
#define PB_SPECIAL_OF_SCIPY(X)                                                                    \
    X(erfi) X(dawsn) X(expi) X(exp1) X(gamma) X(rgamma)                      \
    X(j0) X(j1) X(y0) X(y1) X(k0) X(k0e) X(k1) X(k1e)                        \
    X(ellipk) X(ellipe) X(ellipkm1) X(exprel) X(sindg) X(cosdg) X(tandg) X(cotdg)                 \
    X(spence) X(wrightomega) X(ndtri_exp)
#define PB_SPECIAL_BINARY(X)                                                                      \
    X(beta) X(betaln) X(rel_entr) X(kl_div) X(iv) X(jv) X(yv) X(kv) X(ive) X(kve)                 \
    X(gammainc) X(gammaincc) X(gammaincinv) X(gammainccinv) X(hyp0f1) X(ellipkinc) X(ellipeinc)   \
    X(owens_t) X(struve) X(modstruve) X(boxcox) X(boxcox1p) X(tklmbda) X(inv_boxcox)              \
    X(inv_boxcox1p) X(powm1) X(stdtr) X(stdtrit) X(poch) X(binom) X(agm)
#define PB_SPECIAL_TERNARY(X)                                                                     \
    X(betainc) X(betaincc) X(betaincinv) X(betainccinv) X(hyp1f1) X(hyperu) X(elliprd)
#define PB_SPECIAL_QUATERNARY(X) X(hyp2f1)
// Those of a degree, which SciPy computes otherwise where it is whole; and those that SciPy has for
// whole degrees only, of whose fraction nothing is read.
#define PB_SPECIAL_DEGREE_BINARY(X)                                                               \
    X(eval_legendre) X(eval_chebyt) X(eval_chebyu) X(eval_laguerre)
#define PB_SPECIAL_DEGREE_TERNARY(X) X(eval_gegenbauer) X(eval_genlaguerre)
#define PB_SPECIAL_DEGREE_QUATERNARY(X) X(eval_jacobi)
#define PB_SPECIAL_WHOLE_BINARY(X) X(eval_hermite) X(eval_hermitenorm) X(expn)
// Those of several results.
#define PB_SPECIAL_TWO_RESULTS(X) X(sici) X(shichi) X(fresnel)
// clang-format on

// The last argument of each is 0: Cython's, for its own dispatch.
#define PB_FIELD_1(name) double (*name)(double, int);
#define PB_FIELD_2(name) double (*name)(double, double, int);
#define PB_FIELD_3(name) double (*name)(double, double, double, int);
#define PB_FIELD_4(name) double (*name)(double, double, double, double, int);
#define PB_FIELD_WHOLE_2(name) double (*name##_whole)(long, double, int);
#define PB_FIELD_WHOLE_3(name) double (*name##_whole)(long, double, double, int);
#define PB_FIELD_WHOLE_4(name) double (*name##_whole)(long, double, double, double, int);
#define PB_FIELD_TWO_RESULTS(name) void (*name)(double, double*, double*);
typedef struct {
    PB_SPECIAL_UNARY(PB_FIELD_1)
    PB_SPECIAL_BINARY(PB_FIELD_2)
    PB_SPECIAL_TERNARY(PB_FIELD_3)
    PB_SPECIAL_QUATERNARY(PB_FIELD_4)
    PB_SPECIAL_DEGREE_BINARY(PB_FIELD_2)
    PB_SPECIAL_DEGREE_TERNARY(PB_FIELD_3)
    PB_SPECIAL_DEGREE_QUATERNARY(PB_FIELD_4)
    PB_SPECIAL_DEGREE_BINARY(PB_FIELD_WHOLE_2)
    PB_SPECIAL_WHOLE_BINARY(PB_FIELD_WHOLE_2)
    PB_SPECIAL_DEGREE_TERNARY(PB_FIELD_WHOLE_3)
    PB_SPECIAL_DEGREE_QUATERNARY(PB_FIELD_WHOLE_4)
    PB_SPECIAL_TWO_RESULTS(PB_FIELD_TWO_RESULTS)
    void (*airy)(double, double*, double*, double*, double*);
    void (*ellipj)(double, double, double*, double*, double*, double*);
} pb_special_functions;
#undef PB_FIELD_1
#undef PB_FIELD_2
#undef PB_FIELD_3
#undef PB_FIELD_4
#undef PB_FIELD_WHOLE_2
#undef PB_FIELD_WHOLE_3
#undef PB_FIELD_WHOLE_4
#undef PB_FIELD_TWO_RESULTS

// Whoever loads kernels that include this header sets it before their first call.
extern "C" {
__attribute__((visibility("default"))) inline const pb_special_functions* pb_special = nullptr;
}

namespace pb {

PB_SETUP inline void require_special(Outcome& outcome) {
    outcome.require(pb_special != nullptr, PB_UNSUPPORTED, "SciPy's special functions are not set");
}

#define PB_SPECIAL_FUNCTION(name) \
    inline double name(double x) { return pb_special->name(x, 0); }
PB_SPECIAL_UNARY(PB_SPECIAL_FUNCTION)
#undef PB_SPECIAL_FUNCTION
#define PB_SPECIAL_FUNCTION(name) \
    inline float name(float x) { return static_cast<float>(name(double{x})); }
PB_SPECIAL_OF_SCIPY(PB_SPECIAL_FUNCTION)
#ifndef PB_FLOAT_SERIES
PB_SPECIAL_IN_SERIES(PB_SPECIAL_FUNCTION)
#endif
#undef PB_SPECIAL_FUNCTION
// Of several arguments, for floats too.
#define PB_FOR_FLOATS_2(name)                              \
    template <typename T>                                  \
    T name(T x, T y) {                                     \
        return static_cast<T>(name(double{x}, double{y})); \
    }
#define PB_FOR_FLOATS_3(name)                                         \
    template <typename T>                                             \
    T name(T x, T y, T z) {                                           \
        return static_cast<T>(name(double{x}, double{y}, double{z})); \
    }
#define PB_FOR_FLOATS_4(name)                                                    \
    template <typename T>                                                        \
    T name(T a, T b, T c, T x) {                                                 \
        return static_cast<T>(name(double{a}, double{b}, double{c}, double{x})); \
    }
#define PB_SPECIAL_FUNCTION(name)                                                \
    inline double name(double x, double y) { return pb_special->name(x, y, 0); } \
    PB_FOR_FLOATS_2(name)
PB_SPECIAL_BINARY(PB_SPECIAL_FUNCTION)
#undef PB_SPECIAL_FUNCTION
#define PB_SPECIAL_FUNCTION(name)                                                             \
    inline double name(double x, double y, double z) { return pb_special->name(x, y, z, 0); } \
    PB_FOR_FLOATS_3(name)
PB_SPECIAL_TERNARY(PB_SPECIAL_FUNCTION)
#undef PB_SPECIAL_FUNCTION
#define PB_SPECIAL_FUNCTION(name)                                \
    inline double name(double a, double b, double c, double x) { \
        return pb_special->name(a, b, c, x, 0);                  \
    }                                                            \
    PB_FOR_FLOATS_4(name)
PB_SPECIAL_QUATERNARY(PB_SPECIAL_FUNCTION)
#undef PB_SPECIAL_FUNCTION

inline bool is_whole(double n) { return abs(n) < 2147483648.0 && floor(n) == n; }
#define PB_SPECIAL_FUNCTION(name)                                    \
    inline double name(double n, double x) {                         \
        if (!is_whole(n)) return pb_special->name(n, x, 0);          \
        return pb_special->name##_whole(static_cast<long>(n), x, 0); \
    }                                                                \
    PB_FOR_FLOATS_2(name)
PB_SPECIAL_DEGREE_BINARY(PB_SPECIAL_FUNCTION)
#undef PB_SPECIAL_FUNCTION
#define PB_SPECIAL_FUNCTION(name)                                       \
    inline double name(double n, double a, double x) {                  \
        if (!is_whole(n)) return pb_special->name(n, a, x, 0);          \
        return pb_special->name##_whole(static_cast<long>(n), a, x, 0); \
    }                                                                   \
    PB_FOR_FLOATS_3(name)
PB_SPECIAL_DEGREE_TERNARY(PB_SPECIAL_FUNCTION)
#undef PB_SPECIAL_FUNCTION
#define PB_SPECIAL_FUNCTION(name)                                          \
    inline double name(double n, double a, double b, double x) {           \
        if (!is_whole(n)) return pb_special->name(n, a, b, x, 0);          \
        return pb_special->name##_whole(static_cast<long>(n), a, b, x, 0); \
    }                                                                      \
    PB_FOR_FLOATS_4(name)
PB_SPECIAL_DEGREE_QUATERNARY(PB_SPECIAL_FUNCTION)
#undef PB_SPECIAL_FUNCTION
#define PB_SPECIAL_FUNCTION(name)                                    \
    inline double name(double n, double x) {                         \
        if (!(abs(n) < 2147483648.0)) return __builtin_nan("");      \
        return pb_special->name##_whole(static_cast<long>(n), x, 0); \
    }                                                                \
    PB_FOR_FLOATS_2(name)
PB_SPECIAL_WHOLE_BINARY(PB_SPECIAL_FUNCTION)
#undef PB_SPECIAL_FUNCTION
#undef PB_FOR_FLOATS_2
#undef PB_FOR_FLOATS_3
#undef PB_FOR_FLOATS_4
#ifdef PB_FLOAT_SERIES
// Without SciPy's where both are positive: B(x, 1) is 1 / x.
inline float betaln(float x, float y) {
    const double least = x < y ? x : y, most = x < y ? y : x;
    if (!(least > 0.0 && most < __builtin_inf())) return static_cast<float>(betaln(most, least));
    const bool one = x == 1.0f || y == 1.0f;
    return static_cast<float>(one ? 0.0 - log(least * most) : betaln_by_series(most, least));
}
#endif

// The Bessel functions of an order. SciPy's iv is NaN at subnormal numbers.
template <typename T>
T bessel_i(T x, T order) {
    return iv(order, abs(x) < 2.2250738585072014e-308 ? T(0) : x);
}
template <typename T>
T bessel_j(T x, T order) {
    return jv(order, x);
}

// The sum of (a + k)^-s over k from 0, for a whole s > 1 (Hurwitz's zeta function), by
// Euler-Maclaurin's formula: some terms as they are (DLMF 25.11.4), and the rest from a point
// where its asymptotic series has many good terms (DLMF 25.11.28). The negative terms are the
// difference of two such sums.
inline double hurwitz_zeta(double s, double a) {
    // B_2k / (2k)!, DLMF 24.2.
    constexpr double kTerms[] = {
        0.08333333333333333,    -0.001388888888888889,   3.306878306878307e-05,
        -8.267195767195768e-07, 2.08767569878681e-08,    -5.284190138687493e-10,
        1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
        -2.174868698558062e-16, 5.5090028283602295e-18,  -1.3954464685812522e-19};
    if (a <= 0 && floor(a) == a) return __builtin_inf();
    if (a < -1) {
        const double count = ceil(-a);
        const double nearest = -(a + (count - 1));
        const double negative = hurwitz_zeta(s, nearest) - hurwitz_zeta(s, 1 - a);
        return hurwitz_zeta(s, a + count) + (fmod(s, 2.0) == 0 ? negative : -negative);
    }
    double sum = 0;
    const double far = s + 10;
    while (a < far) {
        const double term = power(a, -s);
        sum += term;
        a += 1;
        if (a > 1 && term < 1e-17 * sum) return sum;
    }
    const double last = power(a, -s);
    sum += power(a, 1 - s) / (s - 1) + 0.5 * last;
    double factor = s * last / a;
    for (int k = 1; k <= 12; ++k) {
        const double term = kTerms[k - 1] * factor;
        sum += term;
        if (abs(term) < 1e-17 * abs(sum)) break;
        factor *= (s + 2 * k - 1) * (s + 2 * k) / (a * a);
    }
    return sum;
}

// The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x), DLMF 5.15.1.
inline double polygamma(double x, double n) {
    if (n == 0) return digamma(x);
    if (n == 1) return trigamma(x);
    const double size = gamma(n + 1) * hurwitz_zeta(n + 1, x);
    return fmod(n, 2.0) == 0 ? -size : size;
}
inline float polygamma(float x, float n) {
    return static_cast<float>(polygamma(double{x}, double{n}));
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_SPECIAL_H_
