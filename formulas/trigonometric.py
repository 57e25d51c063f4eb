"""Trigonometric functions and their inverses."""

import numpy as np

import pullback as pb


@pb.formula(np.sin)
def sin(x):
    """d sin x = cos x dx. DLMF 4.20.1."""
    r = np.sin(x)

    def sin_pullback(grad):
        return grad * np.cos(x)

    return r, sin_pullback


@pb.formula(np.cos)
def cos(x):
    """d cos x = -sin x dx. DLMF 4.20.2."""
    r = np.cos(x)

    def cos_pullback(grad):
        return -grad * np.sin(x)

    return r, cos_pullback


@pb.formula(np.tan)
def tan(x):
    """r = tan x: dr = sec(x)**2 dx = (1 + r**2) dx. DLMF 4.20.3."""
    r = np.tan(x)

    def tan_pullback(grad):
        return grad * (1 + r * r)

    return r, tan_pullback


@tan.sample_inputs
def _tan_inputs(rng):
    yield (rng.uniform(-1.2, 1.2, (3, 4)),), {}


@pb.formula(np.arctan)
def arctan(x):
    """d arctan x = dx / (1 + x**2). DLMF 4.24.9."""
    r = np.arctan(x)

    def arctan_pullback(grad):
        return grad / (1 + x * x)

    return r, arctan_pullback


@pb.formula(np.arctan2)
def arctan2(y, x):
    """The angle of the point (x, y): it turns by (x dy - y dx) / (x**2 + y**2)."""
    r = np.arctan2(y, x)

    def arctan2_pullback(grad):
        turn = grad / (x * x + y * y)
        return turn * x, -turn * y

    return r, arctan2_pullback


@arctan2.sample_inputs
def _arctan2_inputs(rng):
    angle = rng.uniform(-3.0, 3.0, (3, 4))
    radius = rng.uniform(0.5, 2.0, (3, 4))
    yield (radius * np.sin(angle), radius * np.cos(angle)), {}
