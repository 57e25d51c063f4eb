"""Indexing with integers, slices, Ellipsis, None and arrays of these."""

import operator

import numpy as np

import pullback as pb


@pb.formula(operator.getitem)
def getitem(a, *, index):
    """The selected entries take the gradient, the others zero."""
    r = a[index]

    def getitem_pullback(grad):
        return pb.unslice(grad, index=index, shape=a.shape)

    return r, getitem_pullback


@getitem.sample_inputs
def _getitem_inputs(rng):
    yield (rng.standard_normal((4, 5)),), {"index": (slice(None, None, -2), 1)}
    yield (rng.standard_normal((4, 5)),), {"index": np.array([0, 2, 2])}


@pb.formula(pb.unslice)
def unslice(a, *, index, shape):
    """Zeros of `shape` with `a` added at `index`, the adjoint of indexing.

    An entry that `index` selects more than once collects the sum.
    """
    r = pb.unslice(a, index=index, shape=shape)

    def unslice_pullback(grad):
        return grad[index]

    return r, unslice_pullback


@unslice.sample_inputs
def _unslice_inputs(rng):
    yield (rng.standard_normal((2,)),), {"index": (slice(None, None, -2), 1), "shape": (4, 5)}


@pb.formula(pb.index_put)
def index_put(a, value, *, index, repeated: bool = False):
    """What was overwritten gets no gradient; of two writes to one place, the last one does."""
    r = pb.index_put(a, value, index=index, repeated=repeated)

    def index_put_pullback(grad):
        written = grad[index]
        if repeated:
            written = np.where(pb.last_written(index, a.shape), written, 0.0)
        return pb.index_put(grad, 0.0, index=index, repeated=repeated), written

    return r, index_put_pullback


@index_put.sample_inputs
def _index_put_inputs(rng):
    yield (rng.standard_normal((4, 5)), rng.standard_normal(5)), {"index": (slice(None, None, -2),)}
    positions = np.array([0, 2, 0])
    yield (rng.standard_normal((4, 5)), rng.standard_normal((3, 5))), {"index": positions, "repeated": True}


@pb.formula(pb.join_like, jvp=lambda arrays, tangents, *, like, axis: pb.join_like(tangents, like, axis))
def join_like(arrays: list[pb.Tensor], *, like, axis: "int | None" = 0):
    """Each array takes its stretch of the gradient."""
    r = pb.join_like(arrays, like=like, axis=axis)

    def join_like_pullback(grad):
        return pb.split_like(grad, pb.like(arrays), axis=axis)

    return r, join_like_pullback


@join_like.sample_inputs
def _join_like_inputs(rng):
    parts = [rng.standard_normal((3,)), rng.standard_normal((2, 3))]
    yield (parts,), {"like": pb.like(rng.standard_normal((3, 3))), "axis": 0}


@pb.formula(pb.collect, jvp=lambda arrays, tangents: pb.collect(tangents))
def collect(arrays: list[pb.Tensor]):
    """What the turns of a loop computed, stacked along a new first axis."""
    r = pb.collect(arrays)

    def collect_pullback(grad):
        return pb.unstack_like(grad, pb.like(arrays), axis=0)

    return r, collect_pullback


@collect.sample_inputs
def _collect_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 3))],), {}
    yield ([rng.standard_normal(()), rng.standard_normal((2,))],), {}


@pb.formula(pb.collect_flat, jvp=lambda arrays, tangents: pb.collect_flat(tangents))
def collect_flat(arrays: list[pb.Tensor]):
    """What the turns of a loop computed, each in a shape of its own, one after the other."""
    r = pb.collect_flat(arrays)

    def collect_flat_pullback(grad):
        return pb.split_like(grad, pb.like(arrays), axis=None)

    return r, collect_flat_pullback


@collect_flat.sample_inputs
def _collect_flat_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal(()), rng.standard_normal((0, 2))],), {}
