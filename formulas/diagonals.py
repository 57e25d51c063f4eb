"""Diagonals of matrices, and the triangles that they bound."""

import numpy as np

import pullback as pb


@pb.formula(np.diagonal)
def diagonal(a, *, offset=0, axis1=0, axis2=1):
    """The entries on a diagonal of two axes, along a new last axis; back they go onto it."""
    r = np.diagonal(a, offset, axis1, axis2)

    def diagonal_pullback(grad):
        return pb.undiagonal(grad, offset=offset, axis1=axis1, axis2=axis2, shape=a.shape)

    return r, diagonal_pullback


@diagonal.sample_inputs
def _diagonal_inputs(rng):
    yield (rng.standard_normal((3, 4)),), {}
    yield (rng.standard_normal((3, 2, 4)),), {"offset": -1, "axis1": 2, "axis2": 0}


@pb.formula(pb.undiagonal)
def undiagonal(a, *, offset, axis1, axis2, shape):
    """Zeros of `shape` with `a` on a diagonal, the adjoint of taking it."""
    r = pb.undiagonal(a, offset=offset, axis1=axis1, axis2=axis2, shape=shape)

    def undiagonal_pullback(grad):
        return np.diagonal(grad, offset=offset, axis1=axis1, axis2=axis2)

    return r, undiagonal_pullback


@undiagonal.sample_inputs
def _undiagonal_inputs(rng):
    yield (rng.standard_normal((2, 2)),), {"offset": 1, "axis1": 0, "axis2": -1, "shape": (3, 2, 3)}


@pb.composite(np.trace)
def trace(a, *, offset=0, axis1=0, axis2=1):
    """The sum of a diagonal."""
    return np.sum(np.diagonal(a, offset=offset, axis1=axis1, axis2=axis2), axis=-1)


@trace.sample_inputs
def _trace_inputs(rng):
    yield (rng.standard_normal((3, 3)),), {}
    yield (rng.standard_normal((3, 2, 4)),), {"offset": 1, "axis1": 0, "axis2": 2}


@pb.formula(np.tril)
def tril(m, *, k=0):
    """Zeros above diagonal `k`, where no gradient passes."""
    r = np.tril(m, k)

    def tril_pullback(grad):
        return np.tril(grad, k)

    return r, tril_pullback


@tril.sample_inputs
def _tril_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"k": -1}


@pb.formula(np.triu)
def triu(m, *, k=0):
    """Zeros below diagonal `k`, where no gradient passes."""
    r = np.triu(m, k)

    def triu_pullback(grad):
        return np.triu(grad, k)

    return r, triu_pullback


@triu.sample_inputs
def _triu_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"k": 1}
