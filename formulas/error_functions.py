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
_ROOT_TWO_OVER_PI = math.sqrt(2 / math.pi)
_ROOT_HALF = math.sqrt(0.5)
_FAR = 12.0  # from here on an asymptotic series of twelve terms is exact
_NO_DENSITY = 1e9  # the density there is 0
_FAR_BELOW = -1e9  # from here down the first term of that of log_ndtr's slope is


@pb.formula(complex=True)
def slope_of_erf(x):
    """r = 2 / sqrt(pi) exp(-x**2): dr = -2 x r dx, which is 0 where r is, at infinity too."""
    r = _TWO_OVER_ROOT_PI * np.exp(-x * x)

    def slope_of_erf_pullback(grad):
        return grad * (-2 * (np.where(r == 0, 0, x) * r))

    return r, slope_of_erf_pullback


@pb.formula(complex=True)
def slope_of_ndtr(x):
    """r = exp(-x**2 / 2) / sqrt(2 pi): dr = -x r dx, which is 0 where r is, at infinity too."""
    r = np.exp(-0.5 * x * x) / _ROOT_TWO_PI

    def slope_of_ndtr_pullback(grad):
        return -grad * (np.where(r == 0, 0, x) * r)

    return r, slope_of_ndtr_pullback


@pb.formula(special.erf, complex=True)
def erf(x):
    """d erf(x) = 2 / sqrt(pi) exp(-x**2) dx. DLMF 7.10.1."""
    r = special.erf(x)

    def erf_pullback(grad):
        return grad * slope_of_erf(x)

    return r, erf_pullback


@pb.formula(special.erfc, complex=True)
def erfc(x):
    """1 - erf(x): d erfc(x) = -2 / sqrt(pi) exp(-x**2) dx. DLMF 7.10.1."""
    r = special.erfc(x)

    def erfc_pullback(grad):
        return -grad * slope_of_erf(x)

    return r, erfc_pullback


def _slope_of_erfcx(x):
    """The derivative of erfcx for x of 12 and more, to the last bit: DLMF 7.12.1, term by term."""
    t = 1 / x / x
    s = -134607.12890625 + t * (1278767.724609375 + t * (-13427061.108398438 + t * 154411202.74658203))
    s = -59.0625 + t * (324.84375 + t * (-2111.484375 + t * (15836.1328125 + t * s)))
    s = -1.0 + t * (1.5 + t * (-3.75 + t * (13.125 + t * s)))
    return _TWO_OVER_ROOT_PI / 2 * t * s


@pb.formula(special.erfcx, complex=True)
def erfcx(x):
    """r = exp(x**2) erfc(x): dr = (2 x r - 2 / sqrt(pi)) dx, by the product rule.

    The two terms cancel far out, where the asymptotic series of the derivative stands for them.
    """
    r = special.erfcx(x)

    def erfcx_pullback(grad):
        is_near = x < _FAR
        near = 2 * (np.where(is_near, x, 0) * r) - _TWO_OVER_ROOT_PI
        return grad * np.where(is_near, near, _slope_of_erfcx(np.where(is_near, _FAR, x)))

    return r, erfcx_pullback


@pb.formula(special.erfi, complex=True)
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


def _slope_of_dawsn(x):
    """The derivative of dawsn for |x| of 12 and more, to the last bit: DLMF 7.12.1 of an imaginary number."""
    t = 1 / x / x
    s = 134607.12890625 + t * (1278767.724609375 + t * (13427061.108398438 + t * 154411202.74658203))
    s = 59.0625 + t * (324.84375 + t * (2111.484375 + t * (15836.1328125 + t * s)))
    s = 1.0 + t * (1.5 + t * (3.75 + t * (13.125 + t * s)))
    return -0.5 * t * s


@pb.formula(special.dawsn, complex=True)
def dawsn(x):
    """exp(-x**2) times the integral of exp(t**2) from 0 to x: dr = (1 - 2 x r) dx. DLMF 7.10.4.

    The two terms cancel far out, where the asymptotic series of the derivative stands for them.
    """
    r = special.dawsn(x)

    def dawsn_pullback(grad):
        is_near = np.abs(x) < _FAR
        near = 1 - 2 * (np.where(is_near, x, 0) * r)
        return grad * np.where(is_near, near, _slope_of_dawsn(np.where(is_near, _FAR, x)))

    return r, dawsn_pullback


@pb.formula(special.ndtr, complex=True)
def ndtr(x):
    """The distribution function of the normal distribution: its derivative is the density."""
    r = special.ndtr(x)

    def ndtr_pullback(grad):
        return grad * slope_of_ndtr(x)

    return r, ndtr_pullback


@pb.formula(special.log_ndtr, complex=True)
def log_ndtr(x):
    """The logarithm of that: density over distribution, exp(-x**2/2 - r) / sqrt(2 pi).

    Below -1, where both are small, that is sqrt(2 / pi) / erfcx(-x / sqrt(2)), and far below, -x
    to the last bit: DLMF 7.12.1.
    """
    r = special.log_ndtr(x)

    def log_ndtr_pullback(grad):
        low = x < -1
        far = x < _FAR_BELOW
        ratio = _ROOT_TWO_OVER_PI / special.erfcx(-_ROOT_HALF * np.where(low & ~far, x, -1))
        high = np.where(low, 0, np.where(x > _NO_DENSITY, _NO_DENSITY, x))
        near = np.exp(-0.5 * high * high - np.where(low, 0, r)) / _ROOT_TWO_PI
        return grad * np.where(far, -x, np.where(low, ratio, near))

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
