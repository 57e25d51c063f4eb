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
    return _as_of(function(n, z, derivative), z)


@recorded
def gamma_density(a: Any, x: Any) -> Any:
    """The density of the gamma distribution, x**(a - 1) exp(-x) / gamma(a); zero where 1 / gamma(a) is.

    >>> float(gamma_density(1.0, 0.0))
    1.0
    """
    pole = _is_pole(a)
    shape = np.where(pole, 1, a)
    size = np.exp(scipy.special.xlogy(shape - 1, x) - x - scipy.special.gammaln(shape))
    return _as_of(np.where(pole, 0, scipy.special.gammasgn(shape) * size), a, x)


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
    return np.asarray(result, dtype if dtype.kind == "f" else float)


def _as_of(result: Any, *operands: Any) -> Any:
    """The result in the float dtype that the operands promote to, or float64."""
    dtype = np.result_type(*operands)
    return np.asarray(result, dtype if dtype.kind == "f" else float)
