"""Ratios of gamma functions, zeta functions and means: Pochhammer's symbol, binomials, Hurwitz's zeta.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov.
"""

import math

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives


def _is_pole(x):
    """True at 0, -1, -2 and so on, where gamma is infinite."""
    return np.logical_and(x <= 0, x == np.floor(x))


def _slope_at_pole(x):
    """The derivative of 1 / gamma at its zeros, 0, -1, -2 and so on. DLMF 5.5.3, as in `rgamma`."""
    turn = np.pi * x
    return special.gamma(1 - x) * (np.cos(turn) - np.sin(turn) * special.digamma(1 - x) / np.pi)


@pb.formula(special.poch)
def poch(z, m):
    """r = gamma(z + m) / gamma(z), DLMF 5.2.5: r (digamma(z + m) - digamma(z)) dz + r digamma(z + m) dm.

    At a pole of gamma(z), where r is zero, gamma(z + m) times the derivative of 1 / gamma(z); where both
    are poles, digamma(1 - z - m) - digamma(1 - z) in the place of the difference, by reflection. DLMF 5.5.4.
    """
    r = special.poch(z, m)

    def poch_pullback(grad):
        lower, both = _is_pole(z), np.logical_and(_is_pole(z), _is_pole(z + m))
        zero = np.logical_and(lower, np.logical_not(both))
        mirrored = special.digamma(np.where(both, 1 - z - m, 1)) - special.digamma(np.where(both, 1 - z, 1))
        upper = np.where(both, 0, special.digamma(np.where(both, 1, z + m)))
        inner = np.where(both, mirrored, upper - np.where(lower, 0, special.digamma(np.where(lower, 1, z))))
        edge = special.gamma(np.where(zero, z + m, 1)) * _slope_at_pole(np.where(zero, z, 0))
        in_z = r * inner + np.where(zero, edge, 0)
        return grad * in_z, grad * r * special.digamma(z + m)

    return r, poch_pullback


@poch.sample_inputs
def _poch_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}


@pb.formula(special.binom)
def binom(n, k):
    """r = gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)), DLMF 1.2.6; that of gamma is DLMF 5.2.2.

    Where r is zero, at a pole of one of the two below, the derivative of 1 / gamma there times the rest.
    """
    r = special.binom(n, k)

    def binom_pullback(grad):
        rest, lower = n - k + 1, k + 1
        beyond, before = _is_pole(rest), _is_pole(lower)
        in_rest = np.where(beyond, 0, special.digamma(np.where(beyond, 1, rest)))
        in_lower = np.where(before, 0, special.digamma(np.where(before, 1, lower)))
        # gamma(n + 1) over the gamma that is finite.
        of_lower = special.poch(np.where(beyond, lower, 1), np.where(beyond, n - k, 0))
        of_rest = special.poch(np.where(before, rest, 1), np.where(before, k, 0))
        edge = np.where(beyond, of_lower * _slope_at_pole(np.where(beyond, rest, 0)), 0)
        other = np.where(before, of_rest * _slope_at_pole(np.where(before, lower, 0)), 0)
        in_n = r * (special.digamma(n + 1) - in_rest) + edge
        return grad * in_n, grad * (r * (in_rest - in_lower) + other - edge)

    return r, binom_pullback


@binom.sample_inputs
def _binom_inputs(rng):
    yield (rng.uniform(3.1, 4.9, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}


@pb.formula(primitives.hurwitz_zeta)
def hurwitz_zeta(x, q):
    """The sum of (q + k)^-x: d = -x zeta(x + 1, q) dq. DLMF 25.11.17. The exponent takes no gradient."""
    r = primitives.hurwitz_zeta(x, q)

    def hurwitz_zeta_pullback(grad):
        in_x = primitives.refuse_gradient(
            grad,
            argument="`x` of scipy.special.zeta",
            why="the derivative in it has no closed form",
        )
        return in_x, -grad * x * primitives.hurwitz_zeta(x + 1, q)

    return r, hurwitz_zeta_pullback


@hurwitz_zeta.sample_inputs
def _hurwitz_zeta_inputs(rng):
    yield (2, rng.uniform(0.5, 3.0, (3, 4))), {}


@pb.composite(special.zeta)
def zeta(x, q=None):
    """Hurwitz's zeta function, and Riemann's where q is None."""
    return primitives.hurwitz_zeta(x, 1.0 if q is None else q)


@zeta.sample_inputs
def _zeta_inputs(rng):
    yield (3, rng.uniform(0.5, 3.0, (3, 4))), {}


@pb.composite(special.multigammaln)
def multigammaln(a, d):
    """The logarithm of the multivariate gamma function. DLMF 35.3.4."""
    r = d * (d - 1) / 4 * math.log(math.pi) + special.gammaln(a)
    for j in range(1, d):
        r = r + special.gammaln(a - j / 2)
    return r


@pb.formula(special.agm)
def agm(a, b):
    """r = pi m / (2 K(1 - p)) of m = (a + b) / 2 and p = a b / m^2. DLMF 19.8.5.

    dr/da = r / 2m + (r / m)^2 B (b / a - 1) / 2 pi, as `ellipkm1`, with (1 - p) B = E - p K. DLMF 19.4.1.
    """
    r = special.agm(a, b)

    def agm_pullback(grad):
        mean = a / 2 + b / 2
        share = r / mean
        p = (a / mean) * (b / mean)
        slope = share * share * primitives.elliptic_integral(p, kind="B") / (2 * np.pi)
        return grad * (share / 2 + slope * (b / a - 1)), grad * (share / 2 + slope * (a / b - 1))

    return r, agm_pullback


@agm.sample_inputs
def _agm_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)), rng.uniform(0.5, 3.0, (4,))), {}


@pb.composite(special.diric)
def diric(x, n):
    """sin(n x / 2) / (n sin(x / 2)) = U_(n-1)(cos(x / 2)) / n, for a count n. DLMF 18.5.2."""
    known = np.logical_and(n > 0, n == np.floor(n))
    return np.where(known, special.eval_chebyu(n - 1, np.cos(x / 2)) / n, np.nan)
