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
