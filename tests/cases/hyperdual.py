"""Exact derivatives to third order without any reverse mode: what the cases are compared with.

A number here is a polynomial in e1, e2, e3 with e_k**2 = 0, stored as one array
per subset of {1, 2, 3}. The coefficient of e1 e2 e3 in f(x + e1 u + e2 v + e3 w)
is the third directional derivative along u, v, w, exact to rounding.
J. Fike and J. Alonso, "The Development of Hyper-Dual Numbers for Exact
Second-Derivative Calculations" (2011).
"""

from __future__ import annotations

from math import factorial

import numpy as np

SUBSETS = range(8)


class HyperDual:
    """A value with its directional derivatives: `parts[1]` along e1, `parts[3]` along e1 e2, ..."""

    __array_ufunc__ = None

    def __init__(self, parts):
        self.parts = parts

    @staticmethod
    def of(value, directions=()):
        """`value` moved by e_k along the k-th direction."""
        parts = [np.zeros(np.shape(value)) for _ in SUBSETS]
        parts[0] = np.asarray(value, float)
        for k, direction in enumerate(directions):
            parts[1 << k] = np.asarray(direction, float)
        return HyperDual(parts)

    def each(self, function):
        """A linear function of arrays, applied to every part."""
        return HyperDual([function(part) for part in self.parts])

    def __add__(self, other):
        other = other if isinstance(other, HyperDual) else HyperDual.of(other)
        return HyperDual([p + q for p, q in zip(self.parts, other.parts, strict=True)])

    __radd__ = __add__

    def __mul__(self, other):
        if not isinstance(other, HyperDual):
            return self.each(lambda part: part * other)
        return HyperDual([sum(self.parts[s & t] * other.parts[s & ~t] for t in _within(s)) for s in SUBSETS])

    __rmul__ = __mul__

    def __getitem__(self, index):
        return self.each(lambda part: part[index])

    def taylor(self, derivatives):
        """f of this number, by f, f', f'' and f''' at its value."""
        small = HyperDual([np.zeros_like(self.parts[0]), *self.parts[1:]])
        power = HyperDual.of(np.ones_like(self.parts[0]))
        total = HyperDual.of(np.zeros_like(self.parts[0]))
        for k, derivative in enumerate(derivatives):
            total = total + power * HyperDual.of(derivative / factorial(k))
            power = power * small
        return total


def _within(subset):
    return [t for t in SUBSETS if t & ~subset == 0]


def exp(x):
    """e**x."""
    return x.taylor([np.exp(x.parts[0])] * 4)


def sin(x):
    """The sine, whose derivatives go round in four."""
    s, c = np.sin(x.parts[0]), np.cos(x.parts[0])
    return x.taylor([s, c, -s, -c])


def softplus(x):
    """log(1 + e**x): its derivatives are polynomials in the logistic function."""
    p = 1 / (1 + np.exp(-x.parts[0]))
    q = p * (1 - p)
    return x.taylor([np.logaddexp(0, x.parts[0]), p, q, q * (1 - 2 * p)])
