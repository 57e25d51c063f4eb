"""Gradient plumbing: what the transformation itself adds to a closure.

`like` is the shape and dtype of a tensor without its data, `primitives.like(x)`.
"""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(primitives.sum_to, complex=True)
def sum_to(x, *, like):
    """Sum `x` over the axes along which `like` was broadcast to it, in `like`'s dtype.

    The adjoint of broadcasting: each entry of the result collects what every
    copy of it received, and its derivative copies again.
    """
    r = primitives.sum_to(x, like)

    def sum_to_pullback(grad):
        return primitives.broadcast_like(grad, primitives.like(x))

    return r, sum_to_pullback


@sum_to.sample_inputs
def _sum_to_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"like": primitives.like(np.zeros((3, 1)))}


@pb.formula(primitives.broadcast_like, complex=True)
def broadcast_like(x, *, like):
    """Repeat `x` to the shape of `like`, in its dtype: the adjoint of `sum_to`."""
    r = primitives.broadcast_like(x, like)

    def broadcast_like_pullback(grad):
        return primitives.sum_to(grad, primitives.like(x))

    return r, broadcast_like_pullback


@broadcast_like.sample_inputs
def _broadcast_like_inputs(rng):
    yield (rng.standard_normal((3, 1)),), {"like": primitives.like(np.zeros((2, 3, 4)))}


@pb.formula(primitives.expect_like, complex=True)
def expect_like(x, *, like):
    """`x`, which must have the shape of `like`, in its dtype: the identity where it is there."""
    r = primitives.expect_like(x, like)

    def expect_like_pullback(grad):
        return grad

    return r, expect_like_pullback


@expect_like.sample_inputs
def _expect_like_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"like": primitives.like(np.zeros((2, 3)))}


@pb.formula(primitives.gradient_like, complex=True)
def gradient_like(x, *, like):
    """`x`, or zeros where a value like this one holds integers or booleans."""
    r = primitives.gradient_like(x, like)

    def gradient_like_pullback(grad):
        return primitives.gradient_like(grad, like)

    return r, gradient_like_pullback


@gradient_like.sample_inputs
def _gradient_like_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"like": primitives.like(np.zeros((2, 3)))}
    yield (rng.standard_normal((2, 3)),), {"like": primitives.like(np.zeros((2, 3), int))}


@pb.formula(primitives.in_place, complex=True)
def in_place(x, a, *, shared=None):
    """`x`, computed of `a`, in the shape and dtype of the array `a` that it is written to: ``a += y``."""
    r = primitives.in_place(x, a, shared)

    def in_place_pullback(grad):
        return grad, None

    return r, in_place_pullback


@in_place.sample_inputs
def _in_place_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((2, 3))), {}


@pb.formula(primitives.accumulate, complex=True)
def accumulate(x, y):
    """x + y of two cotangents of one value, equal in shape and dtype."""
    r = primitives.accumulate(x, y)

    def accumulate_pullback(grad):
        return grad, grad

    return r, accumulate_pullback


@pb.formula(primitives.refuse_gradient, complex=True)
def refuse_gradient(x, *, argument, why):
    """No gradient at all: raised where one is needed, and its derivatives as well."""
    r = primitives.refuse_gradient(x, argument, why)

    def refuse_gradient_pullback(grad):
        return primitives.refuse_gradient(grad, argument, why)

    return r, refuse_gradient_pullback


@refuse_gradient.sample_inputs
def _refuse_gradient_inputs(rng):
    yield (np.arange(3),), {"argument": "`a`", "why": "it has none"}
