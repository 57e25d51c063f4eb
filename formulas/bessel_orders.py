"""Bessel functions of any real order, of the second kind, modified, scaled by an exponential, and spherical.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov. The derivative in the order has no
closed form, and a gradient that would have to flow into it is refused.
"""

import math

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_ORDER = "the derivative in the order of a Bessel function has no closed form"


@pb.formula(special.yv, complex=True)
def yv(v, z):
    """d Y_v(z) = (Y_(v-1)(z) - Y_(v+1)(z)) / 2 dz. DLMF 10.6.1."""
    r = special.yv(v, z)

    def yv_pullback(grad):
        in_v = primitives.refuse_gradient(grad, argument="`v` of scipy.special.yv", why=_ORDER)
        return in_v, grad * (special.yv(v - 1, z) - special.yv(v + 1, z)) / 2

    return r, yv_pullback


@yv.sample_inputs
def _yv_inputs(rng):
    yield (2, rng.uniform(0.5, 3.0, (3, 4))), {}


@pb.formula(special.kv, complex=True)
def kv(v, z):
    """d K_v(z) = -(K_(v-1)(z) + K_(v+1)(z)) / 2 dz. DLMF 10.29.1."""
    r = special.kv(v, z)

    def kv_pullback(grad):
        in_v = primitives.refuse_gradient(grad, argument="`v` of scipy.special.kv", why=_ORDER)
        return in_v, -grad * (special.kv(v - 1, z) + special.kv(v + 1, z)) / 2

    return r, kv_pullback


@kv.sample_inputs
def _kv_inputs(rng):
    yield (2, rng.uniform(0.5, 3.0, (3, 4))), {}


def _far_from(v):
    """The argument from which on the asymptotic series of `_slope` are exact."""
    return 50 + 2 * v * v


def _slope(v, size, sign):
    """-sum of sign^k a_k(v) (k + 1/2) size^(-k-3/2), with the a_k of DLMF 10.17.1.

    It is the derivative of sum of sign^k a_k(v) size^(-k-1/2), which is exp(-x) I_v(x) sqrt(2 pi) far out for
    the sign -1, DLMF 10.40.1, and exp(x) K_v(x) sqrt(2 / pi) for the sign 1, DLMF 10.40.2.
    """
    coefficient = 0 / size + 1
    series = coefficient / 2
    for k in range(1, 15):
        coefficient = coefficient * (sign * (4 * v * v - (2 * k - 1) ** 2) / (8 * k)) / size
        series = series + (k + 0.5) * coefficient
    return -series / size / np.sqrt(size)


@pb.formula(special.ive)
def ive(v, z):
    """exp(-|z|) I_v(z): d = ((I_(v-1) + I_(v+1)) / 2 exp(-|z|) - sign(z) r) dz. DLMF 10.29.1.

    The terms cancel far out, where the asymptotic series of the derivative stands for them.
    """
    r = special.ive(v, z)

    def ive_pullback(grad):
        in_v = primitives.refuse_gradient(grad, argument="`v` of scipy.special.ive", why=_ORDER)
        is_near = np.abs(z) < _far_from(v)
        near, size = np.where(is_near, z, 1), np.where(is_near, _far_from(v), np.abs(z))
        slope = (special.ive(v - 1, near) + special.ive(v + 1, near)) / 2
        slope = slope - np.sign(near) * special.ive(v, near)
        sign = np.where(
            z > 0, 1, np.cos(np.pi * (v + 1))
        )  # I_v(-x) = (-1)^v I_v(x) for the whole v that have it
        far = sign * _slope(v, size, -1) * (1 / math.sqrt(2 * math.pi))
        return in_v, grad * np.where(is_near, slope, far)

    return r, ive_pullback


@ive.sample_inputs
def _ive_inputs(rng):
    yield (2, np.array([[0.3, 1.0, 2.0, 5.0], [-0.3, -1.0, 70.0, -70.0]])), {}


@pb.formula(special.kve, complex=True)
def kve(v, z):
    """exp(z) K_v(z): d = (r - exp(z) (K_(v-1) + K_(v+1)) / 2) dz. DLMF 10.29.1.

    The terms cancel far out, where the asymptotic series of the derivative stands for them.
    """
    r = special.kve(v, z)

    def kve_pullback(grad):
        in_v = primitives.refuse_gradient(grad, argument="`v` of scipy.special.kve", why=_ORDER)
        is_near = z < _far_from(v)
        near, size = np.where(is_near, z, 1), np.where(is_near, _far_from(v), z)
        slope = special.kve(v, near) - (special.kve(v - 1, near) + special.kve(v + 1, near)) / 2
        return in_v, grad * np.where(is_near, slope, _slope(v, size, 1) * math.sqrt(math.pi / 2))

    return r, kve_pullback


@kve.sample_inputs
def _kve_inputs(rng):
    yield (2, np.array([[0.3, 1.0, 2.0], [5.0, 20.0, 70.0]])), {}


@pb.formula(primitives.spherical_bessel, complex=True)
def spherical_bessel(n, z, *, kind, derivative=False):
    """j_n, y_n, i_n or k_n of z by its letter, or its derivative: of itself, by DLMF 10.51.1 and 10.51.4.

    (2 n + 1) f_n' is n f_(n-1) - (n + 1) f_(n+1) for j and y, the sum for i, and minus the sum for k.
    """
    r = primitives.spherical_bessel(n, z, kind=kind, derivative=derivative)

    def spherical_bessel_pullback(grad):
        in_n = primitives.refuse_gradient(
            grad, argument=f"`n` of scipy.special.spherical_{kind}n", why=_ORDER
        )
        below = n * primitives.spherical_bessel(np.maximum(n - 1, 0), z, kind=kind, derivative=derivative)
        above = (n + 1) * primitives.spherical_bessel(n + 1, z, kind=kind, derivative=derivative)
        if kind == "i":
            slope = below + above
        elif kind == "k":
            slope = -(below + above)
        else:
            slope = below - above
        return in_n, grad * slope / (2 * n + 1)

    return r, spherical_bessel_pullback


@spherical_bessel.sample_inputs
def _spherical_bessel_inputs(rng):
    for kind in "jyik":
        yield (2, rng.uniform(0.5, 3.0, (3, 4))), {"kind": kind}
    yield (0, rng.uniform(0.5, 3.0, (3,))), {"kind": "j", "derivative": True}


@pb.composite(special.spherical_jn)
def spherical_jn(n, z, derivative=False):
    """The spherical Bessel function of the first kind, or its derivative."""
    return primitives.spherical_bessel(n, z, kind="j", derivative=derivative)


@pb.composite(special.spherical_yn)
def spherical_yn(n, z, derivative=False):
    """The spherical Bessel function of the second kind, or its derivative."""
    return primitives.spherical_bessel(n, z, kind="y", derivative=derivative)


@pb.composite(special.spherical_in)
def spherical_in(n, z, derivative=False):
    """The modified spherical Bessel function of the first kind, or its derivative."""
    return primitives.spherical_bessel(n, z, kind="i", derivative=derivative)


@pb.composite(special.spherical_kn)
def spherical_kn(n, z, derivative=False):
    """The modified spherical Bessel function of the second kind, or its derivative."""
    return primitives.spherical_bessel(n, z, kind="k", derivative=derivative)


def _whole(n, x):
    """n without its fraction, in the type of both."""
    return np.trunc(np.where(True, n, pb.stop_gradient(x)))


@pb.composite(special.yn)
def yn(n, x):
    """Y of a whole order: n without its fraction."""
    return special.yv(_whole(n, x), x)


@pb.composite(special.kn)
def kn(n, x):
    """K of a whole order: n without its fraction."""
    return special.kv(_whole(n, x), x)


@pb.composite(special.jve)
def jve(v, z):
    """J_v(z) exp(-|imaginary part of z|), which is J_v(z) of a real z."""
    return special.jv(v, z)


@pb.composite(special.yve)
def yve(v, z):
    """Y_v(z) exp(-|imaginary part of z|), which is Y_v(z) of a real z."""
    return special.yv(v, z)
