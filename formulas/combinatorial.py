"""Ratios of gamma functions, zeta functions and means: Pochhammer's symbol, binomials, Hurwitz's zeta.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov.
"""

import math

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives


@pb.formula(special.poch)
def poch(z, m):
    """r = gamma(z + m) / gamma(z), DLMF 5.2.5: r (digamma(z + m) - digamma(z)) dz + r digamma(z + m) dm."""
    r = special.poch(z, m)

    def poch_pullback(grad):
        upper = special.digamma(z + m)
        return grad * r * (upper - special.digamma(z)), grad * r * upper

    return r, poch_pullback


@poch.sample_inputs
def _poch_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}


@pb.formula(special.binom)
def binom(n, k):
    """r = gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)), DLMF 1.2.6; that of gamma is DLMF 5.2.2."""
    r = special.binom(n, k)

    def binom_pullback(grad):
        rest = special.digamma(n - k + 1)
        return grad * r * (special.digamma(n + 1) - rest), grad * r * (rest - special.digamma(k + 1))

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
