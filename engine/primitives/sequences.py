"""Functions of the `pullback` namespace that formulas are written with and NumPy lacks.

Those marked as recorded are operators with a formula in `formulas/`; what
stands here is their meaning on arrays. The others are written with operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from .plumbing import Like, recorded, sum_to


def _axes(axis: int | tuple[int, ...] | None, ndim: int) -> tuple[int, ...]:
    """The axes that are meant; of what has none, NumPy reduces axis 0 all the same."""
    if axis is None:
        return tuple(range(ndim))
    return normalize_axis_tuple(axis, max(ndim, 1))[:ndim]


@recorded
def flatten_axes(a: Any, axis: int | tuple[int, ...] | None = None) -> Any:
    """The axes of `axis` (None: all) moved to the end and merged into one, in the order given.

    >>> flatten_axes(np.zeros((2, 3, 4)), axis=(0, -1)).shape
    (3, 8)
    """
    a = np.asarray(a)
    axes = _axes(axis, a.ndim)
    moved = np.moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    leading = moved.shape[: a.ndim - len(axes)]
    return moved.reshape(*leading, prod(moved.shape[len(leading) :]))


@recorded
def unflatten_axes(a: Any, axis: int | tuple[int, ...] | None, shape: tuple[int, ...]) -> Any:
    """The inverse of `flatten_axes` for an operand of `shape`.

    >>> unflatten_axes(np.zeros((3, 8)), axis=(0, -1), shape=(2, 3, 4)).shape
    (2, 3, 4)
    """
    axes = _axes(axis, len(shape))
    lengths = (*(n for k, n in enumerate(shape) if k not in axes), *(shape[k] for k in axes))
    return np.moveaxis(np.reshape(a, lengths), range(len(shape) - len(axes), len(shape)), axes)


@recorded
def linear_recurrence(a: Any, b: Any, reverse: bool = False) -> Any:
    """r_i = b_i + a_i r_(i-1) along the last axis, from r_(-1) = 0; in reverse from the end.

    a, b    arrays of one shape, or shapes that broadcast

    >>> linear_recurrence(np.array([0.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    array([ 1.,  3., 10.])
    """
    a, b = np.broadcast_arrays(a, b)
    r = np.empty(b.shape, np.result_type(a, b))
    carried: Any = 0
    order = range(b.shape[-1])
    for i in reversed(order) if reverse else order:
        carried = b[..., i] + a[..., i] * carried
        r[..., i] = carried
    return r


def split_like(x: Any, likes: Sequence[Like] | Like, axis: int | None = 0) -> list[Any]:
    """The stretches of `x` that arrays of these shapes and dtypes have when joined along `axis`.

    The adjoint of `np.concatenate`. With axis None the arrays were flattened first;
    one with fewer axes than `x` had axes of length one put before its own, as in `np.vstack`.
    What is like None, the list of a branch that was not taken, is one `Like`: then there are no parts.

    >>> first, second = split_like(np.arange(5.0), [Like((2,), np.dtype(float)), Like((3,), np.dtype(float))])
    >>> second
    array([2., 3., 4.])
    """
    if isinstance(likes, Like):
        return []
    before = (slice(None),) * (0 if axis is None else axis % x.ndim)
    parts = []
    start = 0
    for like in likes:
        lengths = (1,) * (x.ndim - len(like.shape)) + like.shape
        stop = start + (prod(like.shape) if axis is None else lengths[axis])
        part = x[(*before, slice(start, stop))]
        if axis is None or len(like.shape) != x.ndim:
            part = part.reshape(like.shape)
        parts.append(part if part.dtype == like.dtype else sum_to(part, like))
        start = stop
    return parts


@recorded
def join_like(arrays: Sequence[Any], like: Like, axis: int | None = 0) -> Any:
    """Arrays joined along `axis` to one of this shape: what `split_like` took apart, together again.

    >>> join_like([np.zeros(2), np.ones((1, 2))], Like((2, 2), np.dtype(float)))
    array([[0., 0.],
           [1., 1.]])
    """
    ndim = len(like.shape)
    if axis is None:
        return collect_flat(arrays)
    lifted = [np.reshape(array, (1,) * (ndim - np.ndim(array)) + np.shape(array)) for array in arrays]
    return np.concatenate(lifted, axis=axis)


def unitem(a: Any, index: int, likes: Sequence[Like]) -> list[Any]:
    """A list of zeros of these shapes and dtypes, with `a` at `index`: the adjoint of taking an element.

    >>> unitem(np.ones(2), 1, [Like((1,), np.dtype(float)), Like((2,), np.dtype(float))])
    [array([0.]), array([1., 1.])]
    """
    parts = zeros_list(likes)
    parts[index] = sum_to(a, likes[index])
    return parts


def zeros_list(likes: Sequence[Like]) -> list[Any]:
    """Zeros of these shapes and dtypes.

    >>> zeros_list([Like((2,), np.dtype(float))])
    [array([0., 0.])]
    """
    return [np.zeros(like.shape, like.dtype) for like in likes]


def appended(values: Sequence[Any], x: Any) -> list[Any]:
    """The list with one more element: what ``values.append(x)`` makes of it.

    >>> appended([1], 2)
    [1, 2]
    """
    return [*values, x]


def without_last(values: Sequence[Any]) -> list[Any]:
    """The list without its last element: the adjoint of `appended`, with that element.

    >>> without_last([1, 2])
    [1]
    """
    return list(values[:-1])


def unstack_like(x: Any, likes: Sequence[Like], axis: int = 0) -> list[Any]:
    """The slices of `x` along `axis`, in these shapes and dtypes: the adjoint of `np.stack`.

    >>> likes = [Like((2,), np.dtype(float))] * 2
    >>> unstack_like(np.array([[1.0, 2.0], [3.0, 4.0]]), likes, axis=-1)[0]
    array([1., 3.])
    """
    before = (slice(None),) * (axis % x.ndim)
    parts = (x[(*before, i)] for i in range(len(likes)))
    return [
        part if (part.shape, part.dtype) == like else sum_to(part, like)
        for part, like in zip(parts, likes, strict=True)
    ]


@recorded
def collect(arrays: Sequence[Any]) -> Any:
    """Arrays broadcast to one shape and stacked along a new first axis; of no arrays, an empty one.

    None, which an iteration of a loop leaves where it has no value, stands for zeros that nobody reads.

    >>> collect([0.0, np.ones(2)])
    array([[0., 0.],
           [1., 1.]])
    """
    if not len(arrays):
        return np.zeros((0,))
    arrays = _with_zeros(arrays)
    shape = np.broadcast_shapes(*map(np.shape, arrays))
    dtype = np.result_type(*arrays)
    return np.stack([np.broadcast_to(np.asarray(array, dtype), shape) for array in arrays])


@recorded
def stacked(arrays: Sequence[Any]) -> Any:
    """The array that ``np.array`` makes of a list of arrays: a stack, and of no arrays an empty line.

    Raises ValueError where their shapes differ.

    >>> stacked([np.ones(2), np.zeros(2)]).shape, stacked([]).shape
    ((2, 2), (0,))
    """
    return np.stack(arrays) if len(arrays) else np.zeros((0,))


@recorded
def collect_flat(arrays: Sequence[Any] | None) -> Any:
    """The entries of arrays of any shapes, one array after the other; of no arrays, an empty line.

    ``split_like(entries, like(arrays), axis=None)`` makes the arrays of them again. None is as in `collect`,
    and as the list of a branch that was not taken.

    >>> collect_flat([np.zeros((1, 2)), 1.0])
    array([0., 0., 1.])
    """
    if arrays is None or not len(arrays):
        return np.zeros((0,))
    return np.concatenate(_with_zeros(arrays), axis=None)


def _with_zeros(arrays: Sequence[Any]) -> list[Any]:
    return [0.0 if array is None else array for array in arrays]
