"""Families of functions that are closed under differentiation, on arrays and on tensors.

The derivative of a member is made of other members, whatever the order. Each is
an operator with a formula in `formulas/`; what stands here is its meaning on
arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special

from .plumbing import recorded


@recorded
def polygamma(x: Any, n: int) -> Any:
    """The n-th derivative of the digamma function.

    >>> float(polygamma(1.0, n=1).round(6))
    1.644934
    """
    return _as(x, scipy.special.polygamma(n, x))


@recorded
def bessel_i(x: Any, order: Any) -> Any:
    """The modified Bessel function I of a real order.

    >>> float(bessel_i(0.0, order=0))
    1.0
    """
    smallest = np.finfo(np.float64).tiny  # below it SciPy's is NaN
    return _as(x, scipy.special.iv(order, np.where(np.abs(x) < smallest, 0, x)))


@recorded
def bessel_j(x: Any, order: Any) -> Any:
    """The Bessel function J of a real order.

    >>> float(bessel_j(0.0, order=0))
    1.0
    """
    return _as(x, scipy.special.jv(order, x))


@recorded
def spherical_bessel(n: Any, z: Any, kind: str, derivative: bool = False) -> Any:
    """The spherical Bessel function j, y, i or k of a whole order, or its derivative.

    >>> float(spherical_bessel(0, 0.0, kind="j"))
    1.0
    """
    function = getattr(scipy.special, f"spherical_{kind}n")
    return _as_of(function(n, z, derivative), n, z)


_INTEGRALS = {
    "Si": (scipy.special.sici, 0),
    "Ci": (scipy.special.sici, 1),
    "Shi": (scipy.special.shichi, 0),
    "Chi": (scipy.special.shichi, 1),
    "S": (scipy.special.fresnel, 0),
    "C": (scipy.special.fresnel, 1),
}


@recorded
def integral(x: Any, kind: str) -> Any:
    """The integral Si, Ci, Shi or Chi, or Fresnel's S or C, as SciPy's functions of two results.

    >>> float(integral(1.0, kind="Si").round(6))
    0.946083
    """
    function, k = _INTEGRALS[kind]
    return _as(x, function(x)[k])


@recorded
def airy_function(z: Any, kind: str) -> Any:
    """The Airy function Ai or Bi, or its derivative Ai' or Bi'.

    >>> float(airy_function(0.0, kind="Ai").round(6))
    0.355028
    """
    return _as(z, scipy.special.airy(z)[("Ai", "Ai'", "Bi", "Bi'").index(kind)])


@recorded
def jacobi_elliptic(u: Any, m: Any, kind: str) -> Any:
    """Jacobi's elliptic function sn, cn or dn, or the amplitude ph, of a parameter m.

    >>> float(jacobi_elliptic(0.0, 0.5, kind="cn"))
    1.0
    """
    return _as_of(scipy.special.ellipj(u, m)[("sn", "cn", "dn", "ph").index(kind)], u, m)


@recorded
def elliptic_integral(p: Any, kind: str) -> Any:
    """The complete elliptic integral B or D of the parameter 1 - p, exact for a small p.

    B is the integral of cos**2 / delta and D that of sin**2 / delta from 0 to pi / 2, where delta is
    sqrt(1 - (1 - p) sin**2): K = B + D and E = B + p D. By Carlson's integral R_D, DLMF 19.25.1, and close to
    p = 0 by the first terms, DLMF 19.12.1 and 19.12.2.

    >>> float(elliptic_integral(0.0, kind="B"))
    1.0
    """
    x = np.asarray(p, float)
    small = x < 1e-30
    inside = np.where(small, 1, x)
    if kind == "D":
        return _as(p, np.where(small, np.log(4) - np.log(x) / 2 - 1, scipy.special.elliprd(0, inside, 1) / 3))
    beyond = scipy.special.ellipkm1(inside) - scipy.special.elliprd(0, inside, 1) / 3
    within = scipy.special.elliprd(0, 1, np.minimum(inside, 1)) * inside / 3
    return _as(p, np.where(small, np.where(x < 0, np.nan, 1), np.where(inside > 1, beyond, within)))


@recorded
def hurwitz_zeta(x: Any, q: Any) -> Any:
    """Hurwitz's zeta function, the sum of (q + k)**-x; Riemann's, for any x, where q is 1.

    >>> float(hurwitz_zeta(2.0, 1.0).round(6))
    1.644934
    """
    of_riemann = np.asarray(q) == 1
    return _as_of(np.where(of_riemann, scipy.special.zeta(x), scipy.special.zeta(x, q)), x, q)


@recorded
def gamma_density(a: Any, x: Any) -> Any:
    """The density of the gamma distribution, x**(a - 1) exp(-x) / gamma(a); zero where 1 / gamma(a) is.

    >>> float(gamma_density(1.0, 0.0))
    1.0
    """
    pole = _is_pole(a)
    shape = np.where(pole, 1, a)
    far = x == np.inf
    x = np.where(far, 1, x)
    size = np.exp(scipy.special.xlogy(shape - 1, x) - x - scipy.special.gammaln(shape))
    large = shape > _LARGE_SHAPE
    size = np.where(large, _density_of_large_shape(np.where(large, shape, 1), np.where(large, x, 1)), size)
    return _as_of(np.where(pole | far, 0, scipy.special.gammasgn(shape) * size), a, x)


_LARGE_SHAPE = 1e5  # beyond it the powers above have lost more than four digits


def _density_of_large_shape(a: Any, x: Any) -> Any:
    """By Stirling's series for gamma(a), DLMF 5.11.3, around u = x / a - 1, where the powers would cancel."""
    u = (x - a) / a
    near = np.where(abs(u) < 0.01, u, 0)
    series = (
        near * near * (1 / 2 - near * (1 / 3 - near * (1 / 4 - near * (1 / 5 - near * (1 / 6 - near / 7)))))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log1p(u)
        power = np.where(abs(u) < 0.01, -a * series - log_ratio, (a - 1) * log_ratio - a * u)
    return np.exp(power - 1 / (12 * a)) / np.sqrt(2 * np.pi * a)


@recorded
def beta_density(a: Any, b: Any, x: Any) -> Any:
    """The density of the beta distribution, x**(a - 1) (1 - x)**(b - 1) / beta(a, b); zero where 1 / beta is.

    >>> float(beta_density(2.0, 1.0, 0.25))
    0.5
    """
    pole = _is_pole(a) | _is_pole(b)
    p, q = np.where(pole, 1, a), np.where(pole, 1, b)
    powers = scipy.special.xlogy(p - 1, x) + scipy.special.xlog1py(q - 1, np.negative(x))
    inverse = scipy.special.gammaln(p + q) - scipy.special.gammaln(p) - scipy.special.gammaln(q)
    sign = scipy.special.gammasgn(p) * scipy.special.gammasgn(q) * scipy.special.gammasgn(p + q)
    return _as_of(np.where(pole, 0, sign * np.exp(powers + inverse)), a, b, x)


def _is_pole(a: Any) -> Any:
    """True at the poles of the gamma function: zero and the negative whole numbers."""
    return (np.asarray(a) <= 0) & (np.floor(a) == a)


@recorded
def sinc_derivative(x: Any, n: int) -> Any:
    """The n-th derivative of ``np.sinc(x) = sin(pi x) / (pi x)``.

    With t = pi x, f(t) = sin(t) / t and its derivatives satisfy
    t f_n + n f_(n-1) = sin(t + n pi / 2). Where t is small that loses digits, and
    the power series of f is differentiated term by term.

    >>> float(sinc_derivative(0.0, n=2).round(6))
    -3.289868
    """
    t = np.pi * np.asarray(x, dtype=np.result_type(x, np.float32))
    near = np.abs(t) < n + 1
    away = np.where(near, 1, t)
    found = np.sin(away) / away
    for k in range(1, n + 1):
        found = (np.sin(away + k * (np.pi / 2)) - k * found) / away
    small = np.where(near, t, 0)
    series = sum(_term(small, k, n) for k in range((n + 1) // 2, n + 20))
    return _as(x, np.pi**n * np.where(near, series, found))


def _term(t: Any, k: int, n: int) -> Any:
    """The n-th derivative of the term of t**(2 k) in the series of sin(t) / t."""
    return (-1) ** k / ((2 * k + 1) * math.factorial(2 * k - n)) * t ** (2 * k - n)


def _as(x: Any, result: Any) -> Any:
    """The result in the float dtype of the operand, or float64."""
    dtype = getattr(x, "dtype", np.dtype(float))
    return np.asarray(result, dtype if dtype.kind in "fc" else float)


def _as_of(result: Any, *operands: Any) -> Any:
    """The result in the float dtype that the operands promote to, or float64."""
    dtype = np.result_type(*operands)
    return np.asarray(result, dtype if dtype.kind in "fc" else float)
