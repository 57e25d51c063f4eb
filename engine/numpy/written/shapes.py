"""Arrays in another shape or arrangement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...calls.call import call
from ...exchange.copying import duplicate
from .table import stands_for


@stands_for(np.ravel)
def ravel(a: Any, order: str = "C") -> Any:
    """As `np.ravel`, in row-major ("C") or column-major ("F") order; ValueError for another one."""
    if order not in ("C", "F"):
        raise ValueError(f"np.ravel of a tensor is in row-major or column-major order, not {order!r}")
    return call("reshape", a if order == "C" else call("transpose", a), shape=(-1,))


@stands_for(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """As `np.copy`: the same values in new memory, with the same history."""
    return duplicate(a)


def _of_each(name: str, arys: Sequence[Any], of_one: Any) -> Any:
    found = tuple(of_one(ary) for ary in arys)
    return found[0] if len(found) == 1 else found


@stands_for(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """As `np.atleast_1d`."""
    return _of_each("atleast_1d", arys, lambda a: np.reshape(a, (1,)) if np.ndim(a) == 0 else a)


@stands_for(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """As `np.atleast_2d`."""
    return _of_each(
        "atleast_2d",
        arys,
        lambda a: np.reshape(a, (1,) * (2 - np.ndim(a)) + np.shape(a)) if np.ndim(a) < 2 else a,
    )


def _three(a: Any) -> Any:
    shape = np.shape(a)
    if len(shape) >= 3:
        return a
    return np.reshape(a, (*shape, 1) if len(shape) == 2 else (1, *(shape or (1,)), 1))


@stands_for(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """As `np.atleast_3d`."""
    return _of_each("atleast_3d", arys, _three)


@stands_for(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """As `np.broadcast_arrays`: each as a view of the shape that all have together."""
    shape = np.broadcast_shapes(*map(np.shape, args))
    return tuple(np.broadcast_to(arg, shape) for arg in args)


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
    ndim = max(depth, *map(_rank, _leaves(arrays)))
    return _joined(arrays, -depth, ndim)


def _leaves(arrays: Any) -> list[Any]:
    return [leaf for part in arrays for leaf in _leaves(part)] if isinstance(arrays, list) else [arrays]


def _rank(leaf: Any) -> int:
    """The number of axes, without NumPy's dispatch where the block knows it."""
    found: int | None = getattr(leaf, "ndim", None)
    return np.ndim(leaf) if found is None else found


def _joined(arrays: Any, axis: int, ndim: int) -> Any:
    if not isinstance(arrays, list):
        missing = ndim - _rank(arrays)
        return np.reshape(arrays, (1,) * missing + np.shape(arrays)) if missing else arrays
    return np.concatenate([_joined(part, axis + 1, ndim) for part in arrays], axis)


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
