"""Hypergeometric functions in their argument.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov. Derivatives in a parameter have no
closed form, and a gradient that would have to flow into one is refused.
"""

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_PARAMETER = "the derivative in a parameter of a hypergeometric function has no closed form"


@pb.formula(special.hyp0f1, complex=True)
def hyp0f1(v, z):
    """0F1(; v; z): d = 0F1(; v + 1; z) / v dz. DLMF 16.3.1."""
    r = special.hyp0f1(v, z)

    def hyp0f1_pullback(grad):
        in_v = primitives.refuse_gradient(grad, argument="`v` of scipy.special.hyp0f1", why=_PARAMETER)
        return in_v, grad * special.hyp0f1(v + 1, z) / v

    return r, hyp0f1_pullback


@hyp0f1.sample_inputs
def _hyp0f1_inputs(rng):
    yield (2, rng.uniform(-2.0, 2.0, (3, 4))), {}


@pb.formula(special.hyp1f1, complex=True)
def hyp1f1(a, b, x):
    """1F1(a; b; x), Kummer's function: d = a / b 1F1(a + 1; b + 1; x) dx. DLMF 13.3.15; 1 for a = 0."""
    r = special.hyp1f1(a, b, x)

    def hyp1f1_pullback(grad):
        in_a = primitives.refuse_gradient(grad, argument="`a` of scipy.special.hyp1f1", why=_PARAMETER)
        in_b = primitives.refuse_gradient(grad, argument="`b` of scipy.special.hyp1f1", why=_PARAMETER)
        flat, linear = a == 0, a == -1  # 1F1 is 1, and its slope is 1 / -b, whatever overflows beside them
        slope = special.hyp1f1(a + 1, np.where(flat | linear, 1, b + 1), np.where(flat, 0, x))
        return in_a, in_b, grad * (a / np.where(flat, 1, b)) * slope

    return r, hyp1f1_pullback


@hyp1f1.sample_inputs
def _hyp1f1_inputs(rng):
    yield (1, 3, rng.uniform(-2.0, 2.0, (3, 4))), {}


@pb.formula(special.hyp2f1, complex=True)
def hyp2f1(a, b, c, z):
    """2F1(a, b; c; z), Gauss's function: d = a b / c 2F1(a + 1, b + 1; c + 1; z) dz. DLMF 15.5.1."""
    r = special.hyp2f1(a, b, c, z)

    def hyp2f1_pullback(grad):
        in_a = primitives.refuse_gradient(grad, argument="`a` of scipy.special.hyp2f1", why=_PARAMETER)
        in_b = primitives.refuse_gradient(grad, argument="`b` of scipy.special.hyp2f1", why=_PARAMETER)
        in_c = primitives.refuse_gradient(grad, argument="`c` of scipy.special.hyp2f1", why=_PARAMETER)
        return in_a, in_b, in_c, grad * (a * b / c) * special.hyp2f1(a + 1, b + 1, c + 1, z)

    return r, hyp2f1_pullback


@hyp2f1.sample_inputs
def _hyp2f1_inputs(rng):
    yield (1, 2, 4, rng.uniform(-2.0, 0.7, (3, 4))), {}


@pb.formula(special.hyperu)
def hyperu(a, b, x):
    """U(a, b, x), Tricomi's function: d = -a U(a + 1, b + 1, x) dx. DLMF 13.3.22."""
    r = special.hyperu(a, b, x)

    def hyperu_pullback(grad):
        in_a = primitives.refuse_gradient(grad, argument="`a` of scipy.special.hyperu", why=_PARAMETER)
        in_b = primitives.refuse_gradient(grad, argument="`b` of scipy.special.hyperu", why=_PARAMETER)
        return in_a, in_b, -grad * a * special.hyperu(a + 1, b + 1, x)

    return r, hyperu_pullback


@hyperu.sample_inputs
def _hyperu_inputs(rng):
    yield (1, 2, rng.uniform(0.5, 3.0, (3, 4))), {}
