"""Functions that are integrals of elementary ones: exponential, sine, Fresnel's, the dilogarithm, Owen's T.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov.
"""

import math

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_ONE_OVER_ROOT_TWO_PI = 1 / math.sqrt(2 * math.pi)
_ROOT_HALF = math.sqrt(0.5)


@pb.formula(special.expn)
def expn(n, x):
    """E_n(x): d = -E_(n-1)(x) dx, DLMF 8.19.13; E_0(x) = exp(-x) / x, DLMF 8.19.5. n without its fraction."""
    r = special.expn(n, x)

    def expn_pullback(grad):
        in_n = primitives.refuse_gradient(
            grad, argument="`n` of scipy.special.expn", why="the derivative in the order has no closed form"
        )
        z = np.where(n < 1, x, 1)
        of_zero = np.exp(-z) * (1 + 1 / z) / z
        return in_n, -grad * np.where(n < 1, of_zero, special.expn(np.where(n < 1, 1, n) - 1, x))

    return r, expn_pullback


@expn.sample_inputs
def _expn_inputs(rng):
    yield (2, rng.uniform(0.5, 3.0, (3, 4))), {}


@pb.formula(special.exprel)
def exprel(x):
    """r = (exp(x) - 1) / x: d = (exp(x) - r) / x dx, where exp(x) is r x + 1 for a large x.

    Around zero by r = 1F1(1; 2; x), DLMF 13.6.1, whose derivative is 1F1(2; 3; x) / 2, DLMF 13.3.15.
    """
    r = special.exprel(x)

    def exprel_pullback(grad):
        is_near = np.abs(x) < 0.5
        near, below, above = np.where(is_near, x, 0), np.where(x <= -0.5, x, -1), np.where(x >= 0.5, x, 1)
        series = special.hyp1f1(2.0, 3.0, near) / 2
        far = np.where(x < 0, (np.exp(below) - r) / below, r * (1 - 1 / above) + 1 / above)
        return grad * np.where(is_near, series, far)

    return r, exprel_pullback


@exprel.sample_inputs
def _exprel_inputs(rng):
    yield (np.array([[-30.0, -2.0, -0.6], [0.0, 0.3, 0.7], [2.0, 5.0, 9.0]]),), {}


@pb.formula(special.spence, complex=True)
def spence(z):
    """The dilogarithm, the integral of log(t) / (1 - t) from 1 to z, DLMF 25.12.2.

    Around 1 the derivative is -2F1(1, 1; 2; 1 - z), DLMF 15.4.1.
    """
    r = special.spence(z)

    def spence_pullback(grad):
        is_near = np.abs(1 - z) < 0.5
        near, far = np.where(is_near, 1 - z, 0), np.where(is_near, 2, z)
        return grad * np.where(is_near, -special.hyp2f1(1.0, 1.0, 2.0, near), np.log(far) / (1 - far))

    return r, spence_pullback


@spence.sample_inputs
def _spence_inputs(rng):
    yield (np.array([[0.1, 0.4, 0.9], [1.0, 1.3, 4.0]]),), {}


@pb.formula(primitives.integral, complex=True)
def integral(x, *, kind):
    """Si, Ci, Shi or Chi, DLMF 6.2.9 to 6.2.16, or Fresnel's S or C, DLMF 7.2.7 and 7.2.8: the integrand.

    sinh(x) / x is 0F1(; 3/2; x^2 / 4), DLMF 10.39.9, which is right at zero.
    """
    r = primitives.integral(x, kind=kind)

    def integral_pullback(grad):
        if kind == "Si":
            slope = np.sinc(x / np.pi)
        elif kind == "Ci":
            slope = np.cos(x) / x
        elif kind == "Shi":
            slope = special.hyp0f1(1.5, x * x / 4)
        elif kind == "Chi":
            slope = np.cosh(x) / x
        elif kind == "S":
            slope = np.sin(np.pi / 2 * x * x)
        else:
            slope = np.cos(np.pi / 2 * x * x)
        return grad * slope

    return r, integral_pullback


@integral.sample_inputs
def _integral_inputs(rng):
    for kind in ("Si", "Ci", "Shi", "Chi", "S", "C"):
        yield (rng.uniform(0.5, 2.0, (3,)),), {"kind": kind}


@pb.composite(special.sici)
def sici(x):
    """The sine and cosine integrals."""
    return primitives.integral(x, kind="Si"), primitives.integral(x, kind="Ci")


@pb.composite(special.shichi)
def shichi(x):
    """The hyperbolic sine and cosine integrals."""
    return primitives.integral(x, kind="Shi"), primitives.integral(x, kind="Chi")


@pb.composite(special.fresnel)
def fresnel(z):
    """Fresnel's integrals S and C."""
    return primitives.integral(z, kind="S"), primitives.integral(z, kind="C")


@pb.formula(special.owens_t)
def owens_t(h, a):
    """T(h, a), the integral of exp(-h^2 (1 + t^2) / 2) / (1 + t^2) / (2 pi) from 0 to a.

    In a the integrand; in h -exp(-h^2 / 2) erf(a h / sqrt(2)) / sqrt(8 pi). D. B. Owen, "Tables for Computing
    Bivariate Normal Probabilities", Annals of Mathematical Statistics 27 (1956).
    """
    r = special.owens_t(h, a)

    def owens_t_pullback(grad):
        in_h = -np.exp(-h * h / 2) * special.erf(a * h * _ROOT_HALF) * (_ONE_OVER_ROOT_TWO_PI / 2)
        exponent = h * h + np.square(h * a)
        return grad * in_h, grad * np.exp(-exponent / 2) / (2 * np.pi * (1 + a * a))

    return r, owens_t_pullback
