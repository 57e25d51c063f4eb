"""Diagonals of matrices, and the triangles that they bound."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(np.diagonal, complex=True)
def diagonal(a, *, offset=0, axis1=0, axis2=1):
    """The entries on a diagonal of two axes, along a new last axis; back they go onto it."""
    r = np.diagonal(a, offset, axis1, axis2)

    def diagonal_pullback(grad):
        return primitives.undiagonal(grad, offset=offset, axis1=axis1, axis2=axis2, shape=a.shape)

    return r, diagonal_pullback


@diagonal.sample_inputs
def _diagonal_inputs(rng):
    yield (rng.standard_normal((3, 4)),), {}
    yield (rng.standard_normal((3, 2, 4)),), {"offset": -1, "axis1": 2, "axis2": 0}


@pb.formula(primitives.undiagonal, complex=True)
def undiagonal(a, *, offset, axis1, axis2, shape):
    """Zeros of `shape` with `a` on a diagonal, the adjoint of taking it."""
    r = primitives.undiagonal(a, offset=offset, axis1=axis1, axis2=axis2, shape=shape)

    def undiagonal_pullback(grad):
        return np.diagonal(grad, offset=offset, axis1=axis1, axis2=axis2)

    return r, undiagonal_pullback


@undiagonal.sample_inputs
def _undiagonal_inputs(rng):
    yield (rng.standard_normal((2, 2)),), {"offset": 1, "axis1": 0, "axis2": -1, "shape": (3, 2, 3)}


@pb.formula(np.trace, complex=True)
def trace(a, *, offset=0, axis1=0, axis2=1):
    """The sum of a diagonal: back the gradient goes to each entry of it."""
    entries = np.diagonal(a, offset=offset, axis1=axis1, axis2=axis2)
    r = np.sum(entries, axis=-1)

    def trace_pullback(grad):
        each = np.broadcast_to(np.expand_dims(grad, -1), entries.shape)
        return primitives.undiagonal(each, offset=offset, axis1=axis1, axis2=axis2, shape=a.shape)

    return r, trace_pullback


@trace.sample_inputs
def _trace_inputs(rng):
    yield (rng.standard_normal((3, 3)),), {}
    yield (rng.standard_normal((3, 2, 4)),), {"offset": 1, "axis1": 0, "axis2": 2}


@pb.formula(np.tril, complex=True)
def tril(m, *, k=0):
    """Zeros above diagonal `k`, where no gradient passes."""
    r = np.tril(m, k)

    def tril_pullback(grad):
        return np.tril(grad, k)

    return r, tril_pullback


@tril.sample_inputs
def _tril_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"k": -1}


@pb.formula(np.triu, complex=True)
def triu(m, *, k=0):
    """Zeros below diagonal `k`, where no gradient passes."""
    r = np.triu(m, k)

    def triu_pullback(grad):
        return np.triu(grad, k)

    return r, triu_pullback


@triu.sample_inputs
def _triu_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"k": 1}


@pb.composite(np.diag)
def diag(v, k=0):
    """A vector as the diagonal of a matrix, and the diagonal of a matrix as a vector."""
    if v.ndim == 2:
        return np.diagonal(v, offset=k)
    if v.ndim != 1:
        raise ValueError(f"np.diag takes a vector or a matrix, not {v.ndim} axes")
    n = v.shape[0] + (k if k >= 0 else -k)
    return primitives.undiagonal(v, offset=k, axis1=0, axis2=1, shape=(n, n))


@pb.composite(np.diagflat)
def diagflat(v, k=0):
    """All entries as the diagonal of a matrix."""
    return np.diag(np.reshape(v, (-1,)), k)


@pb.composite(np.linalg.diagonal)
def linalg_diagonal(x, *, offset=0):
    """The diagonal of each matrix of a stack."""
    return np.diagonal(x, offset=offset, axis1=-2, axis2=-1)


@pb.composite(np.linalg.trace)
def linalg_trace(x, *, offset=0, dtype=None):
    """The trace of each matrix of a stack."""
    x = x if dtype is None else np.astype(x, dtype)
    return np.trace(x, offset=offset, axis1=-2, axis2=-1)


@pb.composite(np.diag_indices)
def diag_indices(n, ndim=2):
    """The places of the diagonal of an array of `ndim` axes of this length."""
    return tuple(np.arange(n) for _ in range(ndim))
