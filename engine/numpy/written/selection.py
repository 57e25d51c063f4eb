"""Entries selected by indexes, conditions and order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...calls.call import arrays, operators, unrecorded
from ...calls.wide import wide
from ...core.dispatch import engine_of
from ..signatures.arguments import cast
from .table import formulas, stands_for


@stands_for(np.take)
def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    """As `np.take`: entries at indexes along an axis, or of all in row-major order."""
    if axis is None or a.ndim == 0:  # a number is an array of one entry
        a = a if a.ndim == 1 else operators.reshape(a, shape=(-1,))
    along = 0 if axis is None else normalize_axis_index(axis, a.ndim)
    places = np.asarray(arrays(indices))
    if places.dtype.kind != "i":
        places = places.astype(np.intp, casting="same_kind") if places.size else places.astype(np.intp)
    if mode == "wrap":
        places = places % a.shape[along]
    elif mode == "clip":
        places = np.clip(places, 0, a.shape[along] - 1)
    return _taken(a, places, along)


def _taken(a: Any, places: Any, along: int) -> Any:
    return a[(*(slice(None),) * along, places) if along else places]


@stands_for(np.compress)
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """As `np.compress`: the slices along an axis for which the condition holds."""
    return _where_it_holds(condition, a, axis)


@stands_for(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    """As `np.extract`: the entries where the condition holds."""
    return _where_it_holds(condition, arr, None)


def _where_it_holds(condition: Any, a: Any, axis: int | None) -> Any:
    a = a if hasattr(a, "ndim") else np.asarray(a)
    if a.ndim == 0 or (axis is None and a.ndim != 1):
        a = operators.reshape(a, shape=(-1,))
    (places,) = np.asarray(arrays(condition)).ravel().nonzero()
    return _taken(a, places, 0 if axis is None else normalize_axis_index(axis, a.ndim))


@stands_for(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """As `np.choose`: each entry of the array that the index names."""
    places = np.asarray(arrays(a))
    shape = np.broadcast_shapes(places.shape, *map(np.shape, choices))
    many = len(choices)
    if mode == "wrap":
        places = places % many
    elif mode == "clip":
        places = np.clip(places, 0, many - 1)
    elif places.size and (places.min() < 0 or places.max() >= many):
        raise ValueError("invalid entry in choice array")
    stacked = np.stack([np.broadcast_to(choice, shape) for choice in choices])
    return np.take_along_axis(stacked, np.broadcast_to(places, shape)[None], 0)[0]


@stands_for(np.select)
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """As `np.select`: of each entry the first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    result = default
    for condition, choice in zip(condlist[::-1], choicelist[::-1], strict=True):
        result = operators.where(condition, choice, result)
    return result


@stands_for(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:
    """As `np.piecewise`: each function on the entries for which its condition holds, one more elsewhere."""
    if np.ndim(arrays(condlist)) == x.ndim:
        condlist = [condlist]
    conditions = [np.asarray(arrays(condition), np.bool_) for condition in condlist]
    pieces: list[Any] = list(funclist)
    if len(pieces) == len(conditions) + 1:
        conditions.append(~np.logical_or.reduce(conditions))
    if len(pieces) != len(conditions):
        raise ValueError(
            f"np.piecewise with {len(conditions)} conditions takes so many functions or one more, not "
            f"{len(pieces)}"
        )
    result: Any = np.zeros_like(x)
    for condition, piece in zip(conditions, pieces, strict=True):
        value = piece
        if callable(piece):
            if not condition.any():
                continue
            values: Any = piece(x[condition], *args, **kw)
            chosen = cast(np.broadcast_to(values, int(condition.sum())), x.dtype)
            value = operators.unslice(chosen, index=condition, shape=x.shape)
        elif engine_of(piece) is None:
            value = np.full((), piece, x.dtype)
        result = cast(np.where(condition, value, result), x.dtype)
    return result


@stands_for(np.partition)
def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Any:
    """As `np.partition`: a permutation that puts the k-th smallest entry to its place."""
    a, axis = (np.reshape(a, (-1,)), -1) if axis is None else (a, axis)
    return np.take_along_axis(a, np.argpartition(arrays(a), kth, axis), axis)


@wide("sort", always=True)
def sort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Any:
    """As `np.sort`; `descending` is the array API's."""
    a, axis = (np.reshape(a, (-1,)), -1) if axis is None else (a, axis)
    ascending = formulas.sort(a, axis=axis)
    return np.flip(ascending, axis) if descending else ascending


@wide("argsort")
def argsort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Any:
    """As `np.argsort`; `descending` is the array API's, and keeps the order of equal entries."""
    a, axis = (np.reshape(a, (-1,)), -1) if axis is None else (a, axis)
    if not descending:
        return _order(a, axis, "stable" if stable else kind)
    return a.shape[axis] - 1 - np.flip(_order(np.flip(a, axis), axis, "stable"), axis)


def _order(a: Any, axis: int, kind: str | None) -> Any:
    engine = engine_of(a)
    assert engine is not None
    return unrecorded(engine, np.argsort, (a, axis, kind), {})


@wide("take_along_axis", always=True)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """As `np.take_along_axis`; of all entries in row-major order where the axis is None."""
    flat, axis = (np.reshape(arr, (-1,)), 0) if axis is None else (arr, axis)
    places = np.asarray(arrays(indices))
    if places.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if flat.ndim == places.ndim == 1 and axis in (0, -1):
        return flat[places]
    return formulas.take_along_axis(flat, indices=places, axis=axis)


@stands_for(np.apply_along_axis)
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """As `np.apply_along_axis`: a function of each vector along an axis."""
    moved = np.moveaxis(arr, axis, -1)
    rows = [func1d(moved[place], *args, **kwargs) for place in np.ndindex(moved.shape[:-1])]
    joined = np.stack([row if hasattr(row, "dtype") else np.asarray(row) for row in rows])
    shaped = np.reshape(joined, (*moved.shape[:-1], *joined.shape[1:]))
    many = joined.ndim - 1
    axis = normalize_axis_index(axis, arr.ndim)
    return np.moveaxis(shaped, range(arr.ndim - 1, arr.ndim - 1 + many), range(axis, axis + many))


@stands_for(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """As `np.apply_over_axes`: a reduction over one axis after the other."""
    for axis in np.atleast_1d(axes).tolist():
        reduced = func(a, axis)
        a = reduced if reduced.ndim == a.ndim else np.expand_dims(reduced, axis)
    return a


@stands_for(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """As `np.sort_complex`: sorted by real parts, then by imaginary ones, as complex numbers."""
    found = np.sort(a)
    if found.dtype.kind == "c":
        return found
    return found.astype(np.complex64 if found.dtype.char in "bhBH" else np.complex128)
