"""Adjoints of NumPy's functions that arrange or repeat entries, on arrays and on tensors.

Each is an operator with a formula in `formulas/`; what stands here is its
meaning on arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...transpile.attributes import p_of_norm
from ..core.errors import NotDifferentiableError
from .plumbing import recorded


@recorded
def undiagonal(a: Any, offset: int, axis1: int, axis2: int, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `a` on a diagonal: the adjoint of `np.diagonal`.

    >>> undiagonal(np.array([1.0, 2.0]), 0, 0, 1, (2, 3))
    array([[1., 0., 0.],
           [0., 2., 0.]])
    """
    out = np.zeros(shape, np.asarray(a).dtype)
    along = np.moveaxis(out, (axis1, axis2), (-2, -1))
    k = np.arange(np.shape(a)[-1])
    along[..., k + max(-offset, 0), k + max(offset, 0)] = a
    return out


@recorded
def sum_repeats(a: Any, repeats: Any, axis: int | None, shape: tuple[int, ...]) -> Any:
    """The sum over the copies that `np.repeat` made of an array of `shape`: its adjoint.

    >>> sum_repeats(np.array([1.0, 2.0, 4.0]), repeats=(2, 1), axis=0, shape=(2,))
    array([3., 4.])
    """
    a = np.asarray(a)
    flat = axis is None or not shape  # NumPy repeats a single number along an axis that it does not have
    lengths = (int(np.prod(shape)),) if flat else shape
    axis = 0 if axis is None or flat else axis % len(shape)
    out = np.zeros(lengths, a.dtype)
    if isinstance(repeats, (int, np.integer)):
        copies = np.moveaxis(a.reshape(*lengths[: axis + 1], repeats, *lengths[axis + 1 :]), axis + 1, 0)
        for copy in copies:
            out += copy
        return out.reshape(shape)
    of_copies = np.repeat(np.arange(lengths[axis]), repeats)
    index: Any = (*[slice(None)] * axis, of_copies)
    np.add.at(out, index, a)
    return out.reshape(shape)


@recorded
def sum_tiles(a: Any, reps: int | tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The sum over the copies that `np.tile` made of an array of `shape`: its adjoint.

    >>> sum_tiles(np.arange(6.0), reps=2, shape=(3,))
    array([3., 5., 7.])
    """
    reps = (reps,) if isinstance(reps, (int, np.integer)) else tuple(reps)
    ndim = max(len(reps), len(shape))
    reps = (1,) * (ndim - len(reps)) + reps
    lengths = (1,) * (ndim - len(shape)) + tuple(shape)
    pairs = tuple(n for pair in zip(reps, lengths, strict=True) for n in pair)
    summed = np.reshape(a, pairs).sum(axis=tuple(range(0, 2 * ndim, 2)))
    return np.asarray(summed).reshape(shape)


@recorded
def put_along(a: Any, indices: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `a` added at `indices` along an axis: the adjoint of `np.take_along_axis`.

    >>> put_along(np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), 0, (3,))
    array([4., 3., 0.])
    """
    a = np.asarray(a)
    out = np.zeros(shape, a.dtype)
    if len(shape) == 1:
        np.add.at(out, np.asarray(indices), a)
        return out
    axis = axis % len(shape)
    places = list(np.ogrid[tuple(map(slice, a.shape))])
    places[axis] = indices
    np.add.at(out, tuple(np.where(n == 1, 0, place) for n, place in zip(shape, places, strict=True)), a)
    return out


def order_of_norm(ord: Any, axis: int | tuple[int, ...] | None, ndim: int) -> float:
    """The order p of the norm that `np.linalg.norm` computes for these arguments; 2 for Frobenius's.

    NotDifferentiableError for matrix norms, which are no p-norm of the entries.

    >>> order_of_norm("fro", (0, 1), 3)
    2.0
    """
    p = p_of_norm(ord, axis, ndim)
    if p is None:
        matrix = len(axis) == 2 if isinstance(axis, tuple) else axis is None and ndim == 2
        raise NotDifferentiableError(
            f"np.linalg.norm with ord={ord!r} has no formula here{' for matrices' if matrix else ''}: there "
            "are the p-norms of vectors (give an axis) and the Frobenius norm"
        )
    return p
