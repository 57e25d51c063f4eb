"""Reductions over axes.

`axis` is None (all axes), an integer or a tuple; `keepdims` keeps the reduced
axes with length one.
"""

import numpy as np

import pullback as pb
from pullback import primitives


def _kept(reduced, axis, keepdims):
    """`reduced` with its reduced axes as axes of length one, so that it broadcasts to the operand."""
    return reduced if keepdims or axis is None else np.expand_dims(reduced, axis)


@pb.formula(np.sum, complex=True)
def sum(a, *, axis=None, keepdims=False):
    """Each term of a sum takes the sum's gradient."""
    r = np.sum(a, axis=axis, keepdims=keepdims)

    def sum_pullback(grad):
        return primitives.broadcast_like(_kept(grad, axis, keepdims), primitives.like(a))

    return r, sum_pullback


@sum.sample_inputs
def _sum_inputs(rng):
    yield from _inputs(rng)


@pb.formula(np.mean, complex=True)
def mean(a, *, axis=None, keepdims=False):
    """Each of n terms takes a share 1/n of the mean's gradient."""
    r = np.mean(a, axis=axis, keepdims=keepdims)

    def mean_pullback(grad):
        terms = a.size // r.size if r.size else 1
        return primitives.broadcast_like(_kept(grad, axis, keepdims), primitives.like(a)) / terms

    return r, mean_pullback


@mean.sample_inputs
def _mean_inputs(rng):
    yield from _inputs(rng)


@pb.formula(np.max)
def max(a, *, axis=None, keepdims=False):
    """The largest entry takes the gradient; entries that tie for it take equal shares."""
    r = np.max(a, axis=axis, keepdims=keepdims)

    def max_pullback(grad):
        largest = a == _kept(r, axis, keepdims)
        tied = np.sum(np.where(largest, np.ones_like(a), 0), axis=axis, keepdims=True)
        return np.where(largest, _kept(grad, axis, keepdims) / tied, 0)

    return r, max_pullback


@max.sample_inputs
def _max_inputs(rng):
    yield from _distinct_inputs(rng)


@pb.formula(np.min)
def min(a, *, axis=None, keepdims=False):
    """The smallest entry takes the gradient; entries that tie for it take equal shares."""
    r = np.min(a, axis=axis, keepdims=keepdims)

    def min_pullback(grad):
        smallest = a == _kept(r, axis, keepdims)
        tied = np.sum(np.where(smallest, np.ones_like(a), 0), axis=axis, keepdims=True)
        return np.where(smallest, _kept(grad, axis, keepdims) / tied, 0)

    return r, min_pullback


@min.sample_inputs
def _min_inputs(rng):
    yield from _distinct_inputs(rng)


def _inputs(rng):
    a = rng.standard_normal((2, 3, 4))
    yield (a,), {}
    yield (a,), {"axis": -1}
    yield (a,), {"axis": (0, 2), "keepdims": True}


def _distinct_inputs(rng):
    """Inputs without near ties, across which differences would be wrong."""
    for _, attributes in _inputs(rng):
        yield (rng.permutation(24).reshape(2, 3, 4) / 8.0,), attributes


@pb.composite(np.ptp)
def ptp(a: pb.Tensor, axis=None, out=None, keepdims=False):
    """The largest entry less the smallest.

    >>> ptp(pb.tensor([1.0, 5.0, 3.0]))
    tensor(4.)
    """
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)
