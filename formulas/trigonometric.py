"""Trigonometric functions and their inverses."""

import numpy as np

import pullback as pb
from pullback import primitives

_FAR = 1e9  # from here on 1 + x**2 is x**2 to the last bit


@pb.formula(np.sin, complex=True)
def sin(x):
    """d sin x = cos x dx. DLMF 4.20.1."""
    r = np.sin(x)

    def sin_pullback(grad):
        return grad * np.cos(x)

    return r, sin_pullback


@pb.formula(np.cos, complex=True)
def cos(x):
    """d cos x = -sin x dx. DLMF 4.20.2."""
    r = np.cos(x)

    def cos_pullback(grad):
        return -grad * np.sin(x)

    return r, cos_pullback


@pb.formula(np.tan, complex=True)
def tan(x):
    """r = tan x: dr = sec(x)**2 dx = (1 + r**2) dx. DLMF 4.20.3."""
    r = np.tan(x)

    def tan_pullback(grad):
        return grad * (1 + r * r)

    return r, tan_pullback


@tan.sample_inputs
def _tan_inputs(rng):
    yield (rng.uniform(-1.2, 1.2, (3, 4)),), {}


@pb.formula(complex=True)
def slope_of_arctan(x):
    """r = 1 / (1 + x**2), so dr = -2 x r**2 dx, which falls to 0 at infinity."""
    r = 1 / (1 + x * x)

    def slope_of_arctan_pullback(grad):
        return -2 * grad * (r * (np.where(r == 0, 0, x) * r))

    return r, slope_of_arctan_pullback


@pb.formula(np.arctan, complex=True)
def arctan(x):
    """d arctan x = dx / (1 + x**2). DLMF 4.24.9."""
    r = np.arctan(x)

    def arctan_pullback(grad):
        return grad * slope_of_arctan(x)

    return r, arctan_pullback


@pb.formula(np.arctan2)
def arctan2(y, x):
    """The angle of the point (x, y): it turns by (x dy - y dx) / r**2, whose square may overflow.

    Not at all at infinity, the limit of 1 / r.
    """
    r = np.arctan2(y, x)

    def arctan2_pullback(grad):
        across, up = np.where(np.isinf(x), 1, x), np.where(np.isinf(y), 1, y)
        length = np.hypot(across, up)
        turn = np.where(np.isinf(x) | np.isinf(y), 0, grad) / length
        return turn * (across / length), -turn * (up / length)

    return r, arctan2_pullback


@arctan2.sample_inputs
def _arctan2_inputs(rng):
    angle = rng.uniform(-3.0, 3.0, (3, 4))
    radius = rng.uniform(0.5, 2.0, (3, 4))
    yield (radius * np.sin(angle), radius * np.cos(angle)), {}


@pb.formula(complex=True)
def one_minus_square(x):
    """1 - x**2 by its factors, exact around 1: d = -2 x dx, exact around 0."""
    r = (1 - x) * (1 + x)

    def one_minus_square_pullback(grad):
        return grad * (-2 * x)

    return r, one_minus_square_pullback


@pb.formula(np.arcsin, complex=True)
def arcsin(x):
    """d arcsin x = dx / sqrt(1 - x**2). DLMF 4.24.7."""
    r = np.arcsin(x)

    def arcsin_pullback(grad):
        return grad / np.sqrt(one_minus_square(x))

    return r, arcsin_pullback


@arcsin.sample_inputs
def _arcsin_inputs(rng):
    yield (rng.uniform(-0.8, 0.8, (3, 4)),), {}


@pb.formula(np.arccos, complex=True)
def arccos(x):
    """d arccos x = -dx / sqrt(1 - x**2). DLMF 4.24.8."""
    r = np.arccos(x)

    def arccos_pullback(grad):
        return -grad / np.sqrt(one_minus_square(x))

    return r, arccos_pullback


@arccos.sample_inputs
def _arccos_inputs(rng):
    yield (rng.uniform(-0.8, 0.8, (3, 4)),), {}


@pb.formula(np.arcsinh, complex=True)
def arcsinh(x):
    """d arcsinh x = dx / sqrt(1 + x**2). DLMF 4.38.9. Far out that root is x to the last bit, or -x."""
    r = np.arcsinh(x)

    def arcsinh_pullback(grad):
        is_near = np.abs(x) < _FAR
        root = np.sqrt(1 + np.square(np.where(is_near, x, 0)))
        return grad / np.where(is_near, root, np.where(np.real(x) < 0, -x, x))

    return r, arcsinh_pullback


@pb.formula(np.arccosh, complex=True)
def arccosh(x):
    """d arccosh x = dx / (sqrt(x - 1) sqrt(x + 1)). DLMF 4.38.10, for complex x by 4.37.19.

    For real x that is sqrt(x**2 - 1), which is x to the last bit far out.
    """
    r = np.arccosh(x)

    def arccosh_pullback(grad):
        if x.dtype == np.complex128 or x.dtype == np.complex64:
            root = np.sqrt(x - 1) * np.sqrt(x + 1)
        else:
            is_near = x < _FAR
            root = np.where(is_near, np.sqrt(-one_minus_square(np.where(is_near, x, 2))), x)
        return grad / root

    return r, arccosh_pullback


@arccosh.sample_inputs
def _arccosh_inputs(rng):
    yield (rng.uniform(1.3, 3.0, (3, 4)),), {}


@pb.formula(np.arctanh, complex=True)
def arctanh(x):
    """d arctanh x = dx / (1 - x**2). DLMF 4.38.11."""
    r = np.arctanh(x)

    def arctanh_pullback(grad):
        return grad / one_minus_square(x)

    return r, arctanh_pullback


@arctanh.sample_inputs
def _arctanh_inputs(rng):
    yield (rng.uniform(-0.8, 0.8, (3, 4)),), {}


@pb.formula
def share_of_length(x, y, length):
    """x / length of a vector (x, y) of this length, which takes no gradient beside them; 1 of infinity.

    d = y (y dx - x dy) / length**3. Where both are infinite there is no limit, and it is NaN.
    """
    r = np.where(np.abs(x) == np.inf, np.sign(x) + 0 * y, x / length)

    def share_of_length_pullback(grad):
        other = np.where(np.abs(y) == np.inf, np.sign(y) + 0 * x, y / length)
        turned = grad * other / length
        return turned * other, -turned * r, None

    return r, share_of_length_pullback


@pb.formula(np.hypot)
def hypot(x, y):
    """r = sqrt(x**2 + y**2), so r dr = x dx + y dy. At the origin both derivatives are taken as 0."""
    r = np.hypot(x, y)

    def hypot_pullback(grad):
        length = np.where(r == 0, 1, r)
        return grad * share_of_length(x, y, length), grad * share_of_length(y, x, length)

    return r, hypot_pullback


@hypot.sample_inputs
def _hypot_inputs(rng):
    angle = rng.uniform(-3.0, 3.0, (3, 4))
    radius = rng.uniform(0.5, 2.0, (3, 4))
    yield (radius * np.sin(angle), radius * np.cos(angle)), {}


@pb.formula(np.deg2rad)
def deg2rad(x):
    """pi / 180 x."""
    r = np.deg2rad(x)

    def deg2rad_pullback(grad):
        return np.deg2rad(grad)

    return r, deg2rad_pullback


@pb.formula(np.rad2deg)
def rad2deg(x):
    """180 / pi x."""
    r = np.rad2deg(x)

    def rad2deg_pullback(grad):
        return np.rad2deg(grad)

    return r, rad2deg_pullback


@pb.formula(np.sinc, complex=True)
def sinc(x):
    """sin(pi x) / (pi x), a power series in x**2: its derivatives have no closed form without a hole at 0."""
    r = np.sinc(x)

    def sinc_pullback(grad):
        return grad * primitives.sinc_derivative(x, n=1)

    return r, sinc_pullback


@pb.formula(primitives.sinc_derivative, complex=True)
def sinc_derivative(x, *, n):
    """The n-th derivative of sinc; the next one is its derivative."""
    r = primitives.sinc_derivative(x, n=n)

    def sinc_derivative_pullback(grad):
        return grad * primitives.sinc_derivative(x, n=n + 1)

    return r, sinc_derivative_pullback


@sinc_derivative.sample_inputs
def _sinc_derivative_inputs(rng):
    yield (rng.standard_normal((3, 4)),), {"n": 2}
