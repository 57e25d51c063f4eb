"""Bessel functions of the orders 0 and 1, plain and scaled by an exponential.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov.
"""

import math

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_ONE_OVER_ROOT_TWO_PI = 1 / math.sqrt(2 * math.pi)
_ROOT_HALF_PI = math.sqrt(math.pi / 2)
_FAR = 50.0  # from here on asymptotic series of thirteen terms are exact


@pb.formula(special.i0)
def i0(x):
    """d I0(x) = I1(x) dx. DLMF 10.29.3."""
    r = special.i0(x)

    def i0_pullback(grad):
        return grad * special.i1(x)

    return r, i0_pullback


@pb.formula(special.i1)
def i1(x):
    """d I1(x) = (I0(x) + I2(x)) / 2 dx. DLMF 10.29.1."""
    r = special.i1(x)

    def i1_pullback(grad):
        return grad * (special.i0(x) + primitives.bessel_i(x, order=2)) / 2

    return r, i1_pullback


def _decreases_of_i0e(t):
    """The sum of (-1)^k a_k(0) (k + 1/2) t^k with the a_k of DLMF 10.17.1, exact for t up to 1 / 50.

    By t = 1 / x, d/dx exp(-x) I0(x) is -t / sqrt(2 pi x) times it: DLMF 10.40.1, term by term. That of
    exp(x) K0(x) is -t sqrt(pi / 2 x) times the sum of -t: DLMF 10.40.2.
    """
    s = 37976.1313865298
    s = 51.629357010824606 + t * (
        231.6150321457826 + t * (1155.1799728270908 + t * (6340.362805403237 + t * s))
    )
    s = 0.5046844482421875 + t * (
        1.249094009399414 + t * (3.7212592363357544 + t * (12.95795626938343 + t * s))
    )
    return 0.5 + t * (0.1875 + t * (0.17578125 + t * (0.25634765625 + t * s)))


def _decreases_of_i1e(t):
    """The same of the order 1."""
    s = -41278.403681010655
    s = -58.51327127893455 + t * (
        -258.86385945705115 + t * (-1276.7778647036266 + t * (-6944.206882108307 + t * s))
    )
    s = -0.6488800048828125 + t * (
        -1.5266704559326172 + t * (-4.397851824760437 + t * (-14.951488003134727 + t * s))
    )
    return 0.5 + t * (-0.5625 + t * (-0.29296875 + t * (-0.35888671875 + t * s)))


@pb.formula(special.i0e)
def i0e(x):
    """exp(-|x|) I0(x): d = (I1e(x) - sign(x) r) dx, by the product rule.

    The two terms cancel far out, where the asymptotic series of the derivative stands for them.
    """
    r = special.i0e(x)

    def i0e_pullback(grad):
        size = np.abs(x)
        large = np.where(size < _FAR, _FAR, size)
        t = 1 / large
        far = np.sign(x) * -_ONE_OVER_ROOT_TWO_PI * t * _decreases_of_i0e(t) / np.sqrt(large)
        return grad * np.where(size < _FAR, special.i1e(x) - np.sign(x) * r, far)

    return r, i0e_pullback


@pb.formula(special.i1e)
def i1e(x):
    """exp(-|x|) I1(x): d = (exp(-|x|) (I0(x) + I2(x)) / 2 - sign(x) r) dx, by the product rule.

    Far out I2 overflows and the terms cancel: the asymptotic series of the derivative stands for them.
    """
    r = special.i1e(x)

    def i1e_pullback(grad):
        size = np.abs(x)
        near = np.where(size < _FAR, x, 0)
        scaled = special.i0e(near) + np.exp(-np.abs(near)) * primitives.bessel_i(near, order=2)
        slope = scaled / 2 - np.sign(near) * special.i1e(near)
        large = np.where(size < _FAR, _FAR, size)
        t = 1 / large
        far = -_ONE_OVER_ROOT_TWO_PI * t * _decreases_of_i1e(t) / np.sqrt(large)
        return grad * np.where(size < _FAR, slope, far)

    return r, i1e_pullback


@pb.formula(special.j0)
def j0(x):
    """d J0(x) = -J1(x) dx. DLMF 10.6.3."""
    r = special.j0(x)

    def j0_pullback(grad):
        return -grad * special.j1(x)

    return r, j0_pullback


@pb.formula(special.j1)
def j1(x):
    """d J1(x) = (J0(x) - J2(x)) / 2 dx. DLMF 10.6.1."""
    r = special.j1(x)

    def j1_pullback(grad):
        return grad * (special.j0(x) - primitives.bessel_j(x, order=2)) / 2

    return r, j1_pullback


@pb.formula(special.y0)
def y0(x):
    """d Y0(x) = -Y1(x) dx. DLMF 10.6.3."""
    r = special.y0(x)

    def y0_pullback(grad):
        return -grad * special.y1(x)

    return r, y0_pullback


@y0.sample_inputs
def _y0_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.y1)
def y1(x):
    """d Y1(x) = (Y0(x) - Y1(x) / x) dx. DLMF 10.6.2."""
    r = special.y1(x)

    def y1_pullback(grad):
        return grad * (special.y0(x) - r / x)

    return r, y1_pullback


@y1.sample_inputs
def _y1_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.k0)
def k0(x):
    """d K0(x) = -K1(x) dx. DLMF 10.29.3."""
    r = special.k0(x)

    def k0_pullback(grad):
        return -grad * special.k1(x)

    return r, k0_pullback


@k0.sample_inputs
def _k0_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.k1)
def k1(x):
    """d K1(x) = -(K0(x) + K1(x) / x) dx. DLMF 10.29.2."""
    r = special.k1(x)

    def k1_pullback(grad):
        return -grad * (special.k0(x) + r / x)

    return r, k1_pullback


@k1.sample_inputs
def _k1_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.k0e)
def k0e(x):
    """exp(x) K0(x): d = (r - K1e(x)) dx.

    The two terms cancel far out, where the asymptotic series of the derivative stands for them.
    """
    r = special.k0e(x)

    def k0e_pullback(grad):
        large = np.where(x < _FAR, _FAR, x)
        t = -1 / large
        far = _ROOT_HALF_PI * t * _decreases_of_i0e(t) / np.sqrt(large)
        return grad * np.where(x < _FAR, r - special.k1e(np.where(x < _FAR, x, _FAR)), far)

    return r, k0e_pullback


@k0e.sample_inputs
def _k0e_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.k1e)
def k1e(x):
    """exp(x) K1(x): d = (r - K0e(x) - r / x) dx.

    The terms cancel far out, where the asymptotic series of the derivative stands for them.
    """
    r = special.k1e(x)

    def k1e_pullback(grad):
        near, large = np.where(x < _FAR, x, _FAR), np.where(x < _FAR, _FAR, x)
        t = -1 / large
        far = _ROOT_HALF_PI * t * _decreases_of_i1e(t) / np.sqrt(large)
        return grad * np.where(x < _FAR, r - special.k0e(near) - r / near, far)

    return r, k1e_pullback


@k1e.sample_inputs
def _k1e_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(primitives.bessel_i, complex=True)
def bessel_i(x, *, order):
    """The modified function I of a real order v: dI_v = (I_(v-1)(x) + I_(v+1)(x)) / 2 dx. DLMF 10.29.1."""
    r = primitives.bessel_i(x, order=order)

    def bessel_i_pullback(grad):
        return grad * (primitives.bessel_i(x, order=order - 1) + primitives.bessel_i(x, order=order + 1)) / 2

    return r, bessel_i_pullback


@bessel_i.sample_inputs
def _bessel_i_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {"order": 2}


@pb.formula(primitives.bessel_j, complex=True)
def bessel_j(x, *, order):
    """The function J of a real order v: d J_v(x) = (J_(v-1)(x) - J_(v+1)(x)) / 2 dx. DLMF 10.6.1."""
    r = primitives.bessel_j(x, order=order)

    def bessel_j_pullback(grad):
        return grad * (primitives.bessel_j(x, order=order - 1) - primitives.bessel_j(x, order=order + 1)) / 2

    return r, bessel_j_pullback


@bessel_j.sample_inputs
def _bessel_j_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {"order": 1.5}


@pb.composite(special.jv)
def jv(v, z):
    """The Bessel function J, whose order takes no gradient."""
    return primitives.bessel_j(z, order=v)


@pb.composite(special.iv)
def iv(v, z):
    """The modified Bessel function I, whose order takes no gradient."""
    return primitives.bessel_i(z, order=v)
