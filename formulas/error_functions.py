"""The error function and its kin: integrals of the normal density.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov.
"""

import math

import numpy as np
from scipy import special

import pullback as pb

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
_ROOT_PI_OVER_TWO = math.sqrt(math.pi) / 2
_ROOT_TWO_PI = math.sqrt(2 * math.pi)


@pb.formula(special.erf)
def erf(x):
    """d erf(x) = 2 / sqrt(pi) exp(-x**2) dx. DLMF 7.10.1."""
    r = special.erf(x)

    def erf_pullback(grad):
        return grad * (_TWO_OVER_ROOT_PI * np.exp(-x * x))

    return r, erf_pullback


@pb.formula(special.erfc)
def erfc(x):
    """1 - erf(x): d erfc(x) = -2 / sqrt(pi) exp(-x**2) dx. DLMF 7.10.1."""
    r = special.erfc(x)

    def erfc_pullback(grad):
        return -grad * (_TWO_OVER_ROOT_PI * np.exp(-x * x))

    return r, erfc_pullback


@pb.formula(special.erfcx)
def erfcx(x):
    """r = exp(x**2) erfc(x): dr = (2 x r - 2 / sqrt(pi)) dx, by the product rule."""
    r = special.erfcx(x)

    def erfcx_pullback(grad):
        return grad * (2 * x * r - _TWO_OVER_ROOT_PI)

    return r, erfcx_pullback


@pb.formula(special.erfi)
def erfi(x):
    """-i erf(i x): d erfi(x) = 2 / sqrt(pi) exp(x**2) dx. DLMF 7.10.1."""
    r = special.erfi(x)

    def erfi_pullback(grad):
        return grad * (_TWO_OVER_ROOT_PI * np.exp(x * x))

    return r, erfi_pullback


@pb.formula(special.erfinv)
def erfinv(x):
    """erf(r) = x, so dr = sqrt(pi) / 2 exp(r**2) dx. DLMF 7.17(i)."""
    r = special.erfinv(x)

    def erfinv_pullback(grad):
        return grad * (_ROOT_PI_OVER_TWO * np.exp(r * r))

    return r, erfinv_pullback


@erfinv.sample_inputs
def _erfinv_inputs(rng):
    yield (rng.uniform(-0.8, 0.8, (3, 4)),), {}


@pb.formula(special.erfcinv)
def erfcinv(x):
    """erfc(r) = x, so dr = -sqrt(pi) / 2 exp(r**2) dx. DLMF 7.17(i)."""
    r = special.erfcinv(x)

    def erfcinv_pullback(grad):
        return -grad * (_ROOT_PI_OVER_TWO * np.exp(r * r))

    return r, erfcinv_pullback


@erfcinv.sample_inputs
def _erfcinv_inputs(rng):
    yield (rng.uniform(0.2, 1.8, (3, 4)),), {}


@pb.formula(special.dawsn)
def dawsn(x):
    """exp(-x**2) times the integral of exp(t**2) from 0 to x: dr = (1 - 2 x r) dx. DLMF 7.10.4."""
    r = special.dawsn(x)

    def dawsn_pullback(grad):
        return grad * (1 - 2 * x * r)

    return r, dawsn_pullback


@pb.formula(special.ndtr)
def ndtr(x):
    """The distribution function of the normal distribution: its derivative is the density."""
    r = special.ndtr(x)

    def ndtr_pullback(grad):
        return grad * (np.exp(-0.5 * x * x) / _ROOT_TWO_PI)

    return r, ndtr_pullback


@pb.formula(special.log_ndtr)
def log_ndtr(x):
    """The logarithm of that: density over distribution, exp(-x**2/2 - r) / sqrt(2 pi)."""
    r = special.log_ndtr(x)

    def log_ndtr_pullback(grad):
        return grad * (np.exp(-0.5 * x * x - r) / _ROOT_TWO_PI)

    return r, log_ndtr_pullback


@pb.formula(special.ndtri)
def ndtri(x):
    """The quantile r of the normal distribution: dr = sqrt(2 pi) exp(r**2 / 2) dx, one over the density."""
    r = special.ndtri(x)

    def ndtri_pullback(grad):
        return grad * (_ROOT_TWO_PI * np.exp(0.5 * r * r))

    return r, ndtri_pullback


@ndtri.sample_inputs
def _ndtri_inputs(rng):
    yield (rng.uniform(0.2, 0.8, (3, 4)),), {}
