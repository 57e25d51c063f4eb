"""Arrays in another shape or arrangement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...calls.call import arrays as arrays_of
from ...calls.call import operators
from ...exchange.copying import duplicate
from ..signatures.arguments import rank
from .table import stands_for


@stands_for(np.ravel)
def ravel(a: Any, order: str = "C") -> Any:
    """As `np.ravel`, in row-major ("C") or column-major ("F") order; ValueError for another one."""
    if order not in ("C", "F"):
        raise ValueError(f"np.ravel of a tensor is in row-major or column-major order, not {order!r}")
    return operators.reshape(a if order == "C" else operators.transpose(a), shape=(-1,))


@stands_for(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """As `np.copy`: the same values in new memory, with the same history."""
    return duplicate(a)


def _of_each(arys: Sequence[Any], of_one: Any) -> Any:
    return of_one(arys[0]) if len(arys) == 1 else tuple(map(of_one, arys))


@stands_for(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """As `np.atleast_1d`."""
    return _of_each(arys, lambda a: np.reshape(a, (1,)) if np.ndim(a) == 0 else a)


@stands_for(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """As `np.atleast_2d`."""
    return _of_each(arys, _two)


def _two(a: Any) -> Any:
    missing = 2 - rank(a)
    return operators.reshape(a, shape=(*(1,) * missing, *np.shape(a))) if missing > 0 else a


def _three(a: Any) -> Any:
    shape = np.shape(a)
    if len(shape) >= 3:
        return a
    return np.reshape(a, (*shape, 1) if len(shape) == 2 else (1, *(shape or (1,)), 1))


@stands_for(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """As `np.atleast_3d`."""
    return _of_each(arys, _three)


@stands_for(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """As `np.broadcast_arrays`: each as a view of the shape that all have together."""
    given = [arg if hasattr(arg, "shape") else np.asarray(arg) for arg in args]
    if len(given) > 32:  # as many as every NumPy takes at once
        shape = np.broadcast_shapes(*(arg.shape for arg in given))
    else:
        shape = np.broadcast(*map(arrays_of, given)).shape
    return tuple(operators.broadcast_to(arg, shape=shape) for arg in given)


@stands_for(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    """As `np.matrix_transpose`: each matrix of a stack turned over."""
    return x.mT


@stands_for(np.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """As `np.rollaxis`: an axis moved to before another one."""
    source = normalize_axis_index(axis, a.ndim)
    target = normalize_axis_index(start, a.ndim + 1) if start >= 0 else normalize_axis_index(start, a.ndim)
    return np.moveaxis(a, source, target - 1 if source < target else target)


@stands_for(np.block)
def block(arrays: Any) -> Any:
    """As `np.block`: nested lists of blocks, the innermost beside each other."""
    depth = 0
    inner = arrays
    while isinstance(inner, list):
        inner, depth = inner[0], depth + 1
    ndim = max(depth, _most_axes(arrays, depth))
    return _joined(arrays, -depth, ndim)


def _most_axes(arrays: Any, depth: int) -> int:
    """The largest number of axes of a block, in lists of this depth."""
    if depth == 0:
        return rank(arrays)
    return max(map(rank, arrays) if depth == 1 else [_most_axes(part, depth - 1) for part in arrays])


def _joined(arrays: Any, axis: int, ndim: int) -> Any:
    if not isinstance(arrays, list):
        missing = ndim - rank(arrays)
        return operators.reshape(arrays, shape=(1,) * missing + np.shape(arrays)) if missing else arrays
    parts = [part if getattr(part, "ndim", -1) == ndim else _joined(part, axis + 1, ndim) for part in arrays]
    return operators.concatenate(parts, axis=axis)


def _shifted(name: str, back: bool) -> Any:
    def shift(x: Any, axes: Any = None) -> Any:
        along = tuple(range(x.ndim)) if axes is None else (axes,) if isinstance(axes, int) else tuple(axes)
        halves = tuple(-(x.shape[k] // 2) if back else x.shape[k] // 2 for k in along)
        return np.roll(x, halves, along)

    shift.__name__ = name
    shift.__doc__ = f"As `np.fft.{name}`: halves exchanged along axes."
    return stands_for(getattr(np.fft, name))(shift)


fftshift = _shifted("fftshift", back=False)
ifftshift = _shifted("ifftshift", back=True)
