"""Products of all and running sums and products: right with zeros, to every order.

The derivative of a product by one factor is the product of the others.
Dividing by the factor fails at zero, so the others are the running product of
those before, times the running product of those after.
"""

import numpy as np

import pullback as pb
from pullback import primitives


def _before(a):
    """Along the last axis, the product of the entries before each."""
    return np.concatenate([np.ones_like(a[..., :1]), np.cumprod(a[..., :-1], axis=-1)], axis=-1)


def _after(a):
    """Along the last axis, the product of the entries after each."""
    return np.flip(_before(np.flip(a, -1)), -1)


def _before_along_first(a):
    """Along the first axis, the product of the entries before each: none is moved in memory."""
    return np.concatenate([np.ones_like(a[:1]), np.cumprod(a[:-1], axis=0)], axis=0)


def _next(a):
    """Along the last axis, the entry after each, and zero after the last."""
    return np.concatenate([a[..., 1:], np.zeros_like(a[..., :1])], axis=-1)


def _previous(a):
    """Along the last axis, the entry before each, and zero before the first."""
    return np.concatenate([np.zeros_like(a[..., :1]), a[..., :-1]], axis=-1)


@pb.formula(np.prod, complex=True)
def prod(a, *, axis=None, keepdims=False):
    """d prod(a) is the sum over i of (the product of the a_j with j != i) da_i."""
    r = np.prod(a, axis=axis, keepdims=keepdims)

    def prod_pullback(grad):
        if axis is not None and np.ndim(axis) == 0 and axis == 0 and a.ndim > 0:
            others = _before_along_first(a) * np.flip(_before_along_first(np.flip(a, 0)), 0)
        else:
            factors = primitives.flatten_axes(a, axis=axis)
            others = primitives.unflatten_axes(_before(factors) * _after(factors), axis=axis, shape=a.shape)
        return others * (grad if keepdims or axis is None else np.expand_dims(grad, axis))

    return r, prod_pullback


@prod.sample_inputs
def _prod_inputs(rng):
    a = rng.uniform(0.5, 1.5, (2, 3, 4))
    a[0, 1, 2] = 0.0
    a[1, :2, 3] = 0.0
    yield (a[0],), {}
    yield (a,), {"axis": -1}
    yield (a,), {"axis": (0, 2), "keepdims": True}


@pb.formula(np.cumsum, complex=True)
def cumsum(a, *, axis=None):
    """Each entry is in the sums from its own on, so it takes the gradients from there to the end."""
    r = np.cumsum(a, axis=axis)

    def cumsum_pullback(grad):
        along = -1 if axis is None else axis
        sums = np.flip(np.cumsum(np.flip(grad, along), axis=along), along)
        return np.reshape(sums, a.shape) if axis is None else sums

    return r, cumsum_pullback


@cumsum.sample_inputs
def _cumsum_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {}
    yield (rng.standard_normal((2, 3)),), {"axis": 0}


@pb.formula(np.cumprod, complex=True)
def cumprod(a, *, axis=None):
    """d r_k is the sum over i <= k of (the product of the a_j with j <= k, j != i) da_i.

    Entry i takes the product before it, r_(i-1), times s_i = grad_i + a_(i+1) s_(i+1),
    by Horner's rule.
    """
    r = np.cumprod(a, axis=axis)

    def cumprod_pullback(grad):
        factors = primitives.flatten_axes(a, axis=axis)
        later = primitives.linear_recurrence(
            _next(factors), primitives.flatten_axes(grad, axis=axis), reverse=True
        )
        products = primitives.flatten_axes(r, axis=axis)
        before = np.concatenate([np.ones_like(products[..., :1]), products[..., :-1]], axis=-1)
        return primitives.unflatten_axes(before * later, axis=axis, shape=a.shape)

    return r, cumprod_pullback


@cumprod.sample_inputs
def _cumprod_inputs(rng):
    a = rng.uniform(0.5, 1.5, (3, 4))
    a[1, 2] = 0.0
    yield (a,), {"axis": 0}
    yield (a,), {"axis": -1}
    yield (a[1],), {}


@pb.formula(primitives.linear_recurrence, complex=True)
def linear_recurrence(a, b, *, reverse=False):
    """r_i = b_i + a_i r_(i-1) along the last axis from r_(-1) = 0; in reverse from the end.

    The adjoint of a linear recurrence is one that runs the other way:
    s_i = grad_i + a_(i+1) s_(i+1). Then db = s and da_i = s_i r_(i-1).
    """
    r = primitives.linear_recurrence(a, b, reverse=reverse)

    def linear_recurrence_pullback(grad):
        adjoint = primitives.linear_recurrence(
            _previous(a) if reverse else _next(a), grad, reverse=not reverse
        )
        return adjoint * (_next(r) if reverse else _previous(r)), adjoint

    return r, linear_recurrence_pullback


@linear_recurrence.sample_inputs
def _linear_recurrence_inputs(rng):
    a, b = rng.standard_normal((2, 2, 4))
    yield (a, b), {}
    yield (a, b), {"reverse": True}


@pb.formula(primitives.flatten_axes, complex=True)
def flatten_axes(a, *, axis=None):
    """The axes of `axis` (None: all) moved to the end and merged into one."""
    r = primitives.flatten_axes(a, axis=axis)

    def flatten_axes_pullback(grad):
        return primitives.unflatten_axes(grad, axis=axis, shape=a.shape)

    return r, flatten_axes_pullback


@flatten_axes.sample_inputs
def _flatten_axes_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"axis": (0, -1)}


@pb.formula(primitives.unflatten_axes, complex=True)
def unflatten_axes(a, *, axis, shape):
    """The inverse of `flatten_axes` for an operand of `shape`."""
    r = primitives.unflatten_axes(a, axis=axis, shape=shape)

    def unflatten_axes_pullback(grad):
        return primitives.flatten_axes(grad, axis=axis)

    return r, unflatten_axes_pullback


@unflatten_axes.sample_inputs
def _unflatten_axes_inputs(rng):
    yield (rng.standard_normal((3, 8)),), {"axis": (0, -1), "shape": (2, 3, 4)}
