"""Sorting, selection along an axis by indexes, and the median."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(np.take_along_axis, complex=True)
def take_along_axis(arr, *, indices, axis=-1):
    """Entries selected along an axis; each takes the gradients of all places that it was put to."""
    r = np.take_along_axis(arr, indices, axis)

    def take_along_axis_pullback(grad):
        return primitives.put_along(grad, indices=indices, axis=axis, shape=arr.shape)

    return r, take_along_axis_pullback


@take_along_axis.sample_inputs
def _take_along_axis_inputs(rng):
    yield (rng.standard_normal((3, 4)),), {"indices": rng.integers(0, 3, (2, 4)), "axis": 0}
    yield (rng.standard_normal((2, 4)),), {"indices": np.array([[-1, 0, 0]] * 2)}


@pb.formula(primitives.put_along, complex=True)
def put_along(a, *, indices, axis, shape):
    """Zeros of `shape` with `a` added at `indices` along an axis, the adjoint of taking them."""
    r = primitives.put_along(a, indices=indices, axis=axis, shape=shape)

    def put_along_pullback(grad):
        return np.take_along_axis(grad, indices, axis)

    return r, put_along_pullback


@put_along.sample_inputs
def _put_along_inputs(rng):
    yield (rng.standard_normal((2, 4)),), {"indices": rng.integers(0, 3, (2, 4)), "axis": 0, "shape": (3, 4)}


@pb.formula(np.sort, complex=True)
def sort(a, *, axis=-1):
    """A permutation of the entries, the same one as long as no two of them meet; back by the inverse.

    Equal entries are in their order, on every engine and in kernels.
    """
    r = np.sort(a, axis)
    places = np.argsort(a, axis, kind="stable")

    def sort_pullback(grad):
        return primitives.put_along(grad, places, axis=axis, shape=a.shape)

    return r, sort_pullback


@sort.sample_inputs
def _sort_inputs(rng):
    yield (rng.permutation(12).reshape(3, 4) / 4.0,), {}
    yield (rng.permutation(12).reshape(3, 4) / 4.0,), {"axis": 0}


@pb.composite(primitives.cummax)
def cummax(x, axis=0):
    """The greatest entry so far, ``np.maximum.accumulate(x, axis)``: the one at the place that it was found.

    >>> cummax(pb.tensor([1.0, 3.0, 2.0]))
    tensor([1., 3., 3.])
    """
    return np.take_along_axis(x, primitives.argcummax(x, axis=axis), axis=axis)


@pb.composite(primitives.cummin)
def cummin(x, axis=0):
    """The least entry so far, ``np.minimum.accumulate(x, axis)``: the one at the place that it was found.

    >>> cummin(pb.tensor([2.0, 3.0, 1.0]))
    tensor([2., 2., 1.])
    """
    return np.take_along_axis(x, primitives.argcummin(x, axis=axis), axis=axis)


@pb.composite(np.median)
def median(a: pb.Tensor, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Half of each of the two entries in the middle of the order, which may be one; NaN where there is one.

    >>> median(pb.tensor([3.0, 1.0, 2.0, 8.0]))
    tensor(2.5)
    """
    if axis is not None and a.ndim == 0:
        raise ValueError("np.median of a number takes no axis")
    ordered = np.sort(primitives.flatten_axes(a, axis=axis), -1)
    n = ordered.shape[-1]
    if n == 0:
        return np.mean(a, axis=axis, keepdims=keepdims)
    middle = ordered[..., (n - 1) // 2] / 2 + ordered[..., n // 2] / 2
    r = np.where(np.isnan(ordered[..., -1]), np.nan, middle)
    if not keepdims:
        return r
    return np.reshape(r, (1,) * a.ndim) if axis is None else np.expand_dims(r, axis)
