"""Arrays in another shape or arrangement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..adjoints import undiagonal
from ..call import call
from ..copying import duplicate
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


@stands_for(np.diag)
def diag(v: Any, k: int = 0) -> Any:
    """As `np.diag`: the diagonal of a matrix, or the matrix with a vector on its diagonal.

    >>> import pullback as pb
    >>> diag(pb.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    if v.ndim == 2:
        return call("diagonal", v, offset=k)
    if v.ndim != 1:
        raise ValueError(f"np.diag takes a vector or a matrix, not {v.ndim} axes")
    n = v.shape[0] + abs(k)
    return undiagonal(v, offset=k, axis1=0, axis2=1, shape=(n, n))


@stands_for(np.diagflat)
def diagflat(v: Any, k: int = 0) -> Any:
    """As `np.diagflat`: all entries on the diagonal of a matrix."""
    return diag(np.reshape(v, (-1,)), k)


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


@stands_for(np.column_stack)
def column_stack(tup: Any) -> Any:
    """As `np.column_stack`: vectors as columns, matrices beside each other."""
    return np.concatenate([a if np.ndim(a) == 2 else np.reshape(a, (-1, 1)) for a in tup], 1)


@stands_for(np.dstack)
def dstack(tup: Any) -> Any:
    """As `np.dstack`: along a third axis."""
    return np.concatenate([_three(a) for a in tup], 2)


@stands_for(np.fliplr)
def fliplr(m: Any) -> Any:
    """As `np.fliplr`: the second axis reversed."""
    return np.flip(m, 1)


@stands_for(np.flipud)
def flipud(m: Any) -> Any:
    """As `np.flipud`: the first axis reversed."""
    return np.flip(m, 0)


@stands_for(np.rot90)
def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Any:
    """As `np.rot90`: a plane turned by right angles."""
    try:
        first, second = normalize_axis_tuple(axes, m.ndim)
    except ValueError as error:
        raise ValueError(f"np.rot90 turns a plane of two different axes, not axes={axes}: {error}") from None
    turns = k % 4
    if turns == 1:
        return np.swapaxes(np.flip(m, second), first, second)
    if turns == 2:
        return np.flip(m, (first, second))
    return np.flip(np.swapaxes(m, first, second), second) if turns == 3 else m


@stands_for(np.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """As `np.rollaxis`: an axis moved to before another one."""
    source = normalize_axis_index(axis, a.ndim)
    target = normalize_axis_index(start, a.ndim + 1) if start >= 0 else normalize_axis_index(start, a.ndim)
    return np.moveaxis(a, source, target - 1 if source < target else target)


@stands_for(getattr(np, "matrix_transpose", None), getattr(np.linalg, "matrix_transpose", None))
def matrix_transpose(x: Any, /) -> Any:
    """As `np.matrix_transpose`: the last two axes exchanged."""
    return x.mT


@stands_for(np.block)
def block(arrays: Any) -> Any:
    """As `np.block`: nested lists of blocks, the innermost beside each other."""
    depth = 0
    inner = arrays
    while isinstance(inner, list):
        inner, depth = inner[0], depth + 1
    ndim = max(depth, *(np.ndim(leaf) for leaf in _leaves(arrays)))
    return _joined(arrays, -depth, ndim)


def _leaves(arrays: Any) -> list[Any]:
    return [leaf for part in arrays for leaf in _leaves(part)] if isinstance(arrays, list) else [arrays]


def _joined(arrays: Any, axis: int, ndim: int) -> Any:
    if not isinstance(arrays, list):
        return np.reshape(arrays, (1,) * (ndim - np.ndim(arrays)) + np.shape(arrays))
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


@stands_for(np.linalg.diagonal)
def _linalg_diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """As `np.linalg.diagonal`: of the last two axes."""
    return call("diagonal", x, offset=offset, axis1=-2, axis2=-1)


@stands_for(np.linalg.trace)
def _linalg_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """As `np.linalg.trace`: of the last two axes."""
    return call("trace", x, offset, -2, -1, dtype)
