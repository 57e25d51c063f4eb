// Python's functions of `math` that count, and their continuation: factorials, binomial
// coefficients, gamma.
#ifndef PULLBACK_KERNEL_COUNTING_H_
#define PULLBACK_KERNEL_COUNTING_H_

#include "pullback/kernel/values/numbers.h"

namespace pb {

inline double math_gamma(Outcome& outcome, double x) {
    return in_domain(outcome, __builtin_tgamma(x), isfinite(x), isnan(x));
}
inline double math_lgamma(Outcome& outcome, double x) {
    return in_domain(outcome, __builtin_lgamma(x), isfinite(x), isnan(x));
}

inline bool counts(Outcome& outcome, bool whole) {
    return outcome.require(whole, PB_UNSUPPORTED, "a count of less than nothing");
}
inline int64_t math_factorial(Outcome& outcome, int64_t n) {
    int64_t result = 1;
    if (!counts(outcome, n >= 0)) return 0;
    for (int64_t k = 2; k <= n && outcome.ok(); ++k) result = integer_product(outcome, result, k);
    return outcome.ok() ? result : 0;
}
// n over k, by the coefficients of one row from the left: each product has the next divisor.
inline int64_t math_comb(Outcome& outcome, int64_t n, int64_t k) {
    if (!counts(outcome, n >= 0 && k >= 0) || k > n) return 0;
    if (k > n - k) k = n - k;
    int64_t result = 1;
    for (int64_t i = 1; i <= k && outcome.ok(); ++i) {
        result = integer_product(outcome, result, n - k + i) / i;
    }
    return outcome.ok() ? result : 0;
}

inline int64_t math_perm(Outcome& outcome, int64_t n, int64_t k) {
    int64_t result = 1;
    if (!counts(outcome, n >= 0 && k >= 0) || k > n) return 0;
    for (int64_t i = 0; i < k && outcome.ok(); ++i)
        result = integer_product(outcome, result, n - i);
    return outcome.ok() ? result : 0;
}
inline int64_t math_isqrt(Outcome& outcome, int64_t n) {
    if (!counts(outcome, n >= 0)) return 0;
    const auto whole = static_cast<uint64_t>(n);
    auto root = static_cast<uint64_t>(sqrt(static_cast<double>(n)));
    while (root * root > whole) --root;
    while ((root + 1) * (root + 1) <= whole) ++root;
    return static_cast<int64_t>(root);
}

inline int64_t math_gcd(Outcome& outcome, int64_t x, int64_t y) {
    if (!in_64_bits(outcome, x != INT64_MIN && y != INT64_MIN)) return 0;
    while (y != 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x < 0 ? -x : x;
}
inline int64_t math_lcm(Outcome& outcome, int64_t x, int64_t y) {
    const int64_t common = math_gcd(outcome, x, y);
    if (common == 0) return 0;
    const int64_t product = integer_product(outcome, x / common, y);
    return product < 0 ? integer_difference(outcome, 0, product) : product;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_COUNTING_H_
