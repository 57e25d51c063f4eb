// Polynomials of one element, whose coefficients are known when a kernel is compiled.
#ifndef PULLBACK_KERNEL_POLYNOMIAL_H_
#define PULLBACK_KERNEL_POLYNOMIAL_H_

#include "pullback/kernel/math/exponential.h"

namespace pb {

// The polynomial c(k) + c(k + 1) x + ... of N coefficients: those of even and of odd powers by
// Horner's scheme each, which a processor computes side by side.
template <typename Coefficients, int kNext, int kEnd, typename T>
PB_IN_PLACE T every_other(T x) {
    constexpr T kFirst = static_cast<T>(Coefficients::at(kNext));
    if constexpr (kNext + 2 < kEnd) {
        return multiply_add(x, every_other<Coefficients, kNext + 2, kEnd>(x), kFirst);
    } else {
        return kFirst;
    }
}
template <typename Coefficients, int kEnd, typename T>
PB_IN_PLACE T polynomial(T x) {
    return multiply_add(x, every_other<Coefficients, 1, kEnd>(x * x),
                        every_other<Coefficients, 0, kEnd>(x * x));
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_POLYNOMIAL_H_
