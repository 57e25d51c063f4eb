"""Indexing with integers, slices, Ellipsis, None and arrays of these."""

import operator

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(operator.getitem, complex=True)
def getitem(a, *, index):
    """The selected entries take the gradient, the others zero."""
    r = a[index]

    def getitem_pullback(grad):
        return primitives.unslice(grad, index=index, shape=a.shape)

    return r, getitem_pullback


@getitem.sample_inputs
def _getitem_inputs(rng):
    yield (rng.standard_normal((4, 5)),), {"index": (slice(None, None, -2), 1)}
    yield (rng.standard_normal((4, 5)),), {"index": np.array([0, 2, 2])}


@pb.formula(primitives.unslice, complex=True)
def unslice(a, *, index, shape):
    """Zeros of `shape` with `a` added at `index`, the adjoint of indexing.

    An entry that `index` selects more than once collects the sum.
    """
    r = primitives.unslice(a, index=index, shape=shape)

    def unslice_pullback(grad):
        return grad[index]

    return r, unslice_pullback


@unslice.sample_inputs
def _unslice_inputs(rng):
    yield (rng.standard_normal((2,)),), {"index": (slice(None, None, -2), 1), "shape": (4, 5)}


@pb.formula(primitives.index_put, complex=True)
def index_put(a, value, *, index, repeated: bool = False):
    """A copy of `a` with `value` at `index`.

    Overwritten entries get no gradient; of two writes to one place, the last one does.
    """
    r = primitives.index_put(a, value, index=index, repeated=repeated)

    def index_put_pullback(grad):
        written = grad[index]
        if repeated:
            written = np.where(primitives.last_written(index, a.shape), written, 0.0)
        return primitives.index_put(grad, 0.0, index=index, repeated=repeated), written

    return r, index_put_pullback


@index_put.sample_inputs
def _index_put_inputs(rng):
    yield (rng.standard_normal((4, 5)), rng.standard_normal(5)), {"index": (slice(None, None, -2),)}
    positions = np.array([0, 2, 0])
    yield (rng.standard_normal((4, 5)), rng.standard_normal((3, 5))), {"index": positions, "repeated": True}


@pb.formula(
    primitives.join_like,
    complex=True,
    jvp=lambda arrays, tangents, *, like, axis: primitives.join_like(tangents, like, axis),
)
def join_like(arrays: list[pb.Tensor], *, like, axis: "int | None" = 0):
    """Each array takes its stretch of the gradient."""
    r = primitives.join_like(arrays, like=like, axis=axis)

    def join_like_pullback(grad):
        return primitives.split_like(grad, primitives.like(arrays), axis=axis)

    return r, join_like_pullback


@join_like.sample_inputs
def _join_like_inputs(rng):
    parts = [rng.standard_normal((3,)), rng.standard_normal((2, 3))]
    yield (parts,), {"like": primitives.like(rng.standard_normal((3, 3))), "axis": 0}


@pb.formula(primitives.collect, jvp=lambda arrays, tangents: primitives.collect(tangents), complex=True)
def collect(arrays: list[pb.Tensor]):
    """The results of a loop's iterations, stacked along a new first axis."""
    r = primitives.collect(arrays)

    def collect_pullback(grad):
        return primitives.unstack_like(grad, primitives.like(arrays), axis=0)

    return r, collect_pullback


@collect.sample_inputs
def _collect_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 3))],), {}
    yield ([rng.standard_normal(()), rng.standard_normal((2,))],), {}


@pb.formula(primitives.stacked, jvp=lambda arrays, tangents: primitives.stacked(tangents), complex=True)
def stacked(arrays: list[pb.Tensor]):
    """A list that ``np.array`` makes an array of: each element takes its own slice of the gradient."""
    r = primitives.stacked(arrays)

    def stacked_pullback(grad):
        return primitives.unstack_like(grad, primitives.like(arrays), axis=0)

    return r, stacked_pullback


@stacked.sample_inputs
def _stacked_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 3))],), {}


@pb.formula(
    primitives.collect_flat, jvp=lambda arrays, tangents: primitives.collect_flat(tangents), complex=True
)
def collect_flat(arrays: list[pb.Tensor]):
    """The results of a loop's iterations, each in a shape of its own, one after the other."""
    r = primitives.collect_flat(arrays)

    def collect_flat_pullback(grad):
        return primitives.split_like(grad, primitives.like(arrays), axis=None)

    return r, collect_flat_pullback


@collect_flat.sample_inputs
def _collect_flat_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal(()), rng.standard_normal((0, 2))],), {}
