"""Arrays with entries added or taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ...calls.call import arrays
from .table import formulas, stands_for

# Modes of np.pad that repeat entries of the array.
_REPEATING = ("edge", "reflect", "symmetric", "wrap")


@stands_for(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    """As `np.pad`, with constants or with entries of the array ("edge", "reflect", "symmetric", "wrap").

    ValueError for a mode that computes what it puts there.
    """
    if isinstance(pad_width, dict):
        widths = [pad_width.get(k, pad_width.get(k - array.ndim, (0, 0))) for k in range(array.ndim)]
        pad_width = [(width, width) if isinstance(width, int) else width for width in widths]
    if mode not in _REPEATING:
        if mode != "constant":
            modes = ", ".join(map(repr, ("constant", *_REPEATING)))
            raise ValueError(f"np.pad of a tensor takes the modes {modes}, not {mode!r}")
        counts = _counts(pad_width, array.ndim) if not kwargs or _of_zeros(kwargs) else None
        if counts is None or min(map(min, counts), default=0) < 0:
            return formulas.pad(array, pad_width, **kwargs)
        return _among_zeros(array, counts)
    pairs = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    for axis, (before, after) in enumerate(pairs):
        if kwargs.get("reflect_type") == "odd" and mode in ("reflect", "symmetric"):
            array = _odd(array, before, after, mode, axis)
        elif before or after:
            places = np.pad(np.arange(array.shape[axis]), (before, after), mode=mode, **kwargs)  # type: ignore[call-overload]
            array = _taken(array, places, axis)
    return array


def _of_zeros(kwargs: dict[str, Any]) -> bool:
    constant = kwargs.get("constant_values", 0)
    return type(constant) in (int, float) and constant == 0 and kwargs.keys() <= {"constant_values"}


def _counts(pad_width: Any, ndim: int) -> Sequence[Sequence[int]] | None:
    """A pair of whole numbers for each axis; None where they are none."""
    if type(pad_width) is int:
        return [(pad_width, pad_width)] * ndim
    if type(pad_width) is tuple and len(pad_width) == ndim and all(map(_is_pair, pad_width)):
        return pad_width
    counts = np.asarray(pad_width)
    if counts.dtype.kind not in "iu":
        return None
    pairs: list[list[int]] = np.broadcast_to(counts, (ndim, 2)).tolist()
    return pairs


def _is_pair(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and type(value[0]) is int and type(value[1]) is int


def _among_zeros(array: Any, pairs: Sequence[Sequence[int]]) -> Any:
    """The array with so many zeros before and after the entries of each axis."""
    index, shape = [], []
    for n, (before, after) in zip(array.shape, pairs, strict=True):
        index.append(slice(before, before + n))
        shape.append(before + n + after)
    return formulas.unslice(array, index=tuple(index), shape=tuple(shape))


def _odd(array: Any, before: int, after: int, mode: str, axis: int) -> Any:
    """Padded along an axis by what is reflected in the values at its ends: 2 a(end) - a(mirrored).

    Again and again that is f(k + p) = f(k) + 2 (a(last) - a(first)), with a period p of twice the length,
    less the two ends where "reflect" does not repeat them.
    """
    n = array.shape[axis]
    first, last = (_taken(array, [end], axis) for end in (0, n - 1))
    period = 2 * n if mode == "symmetric" else max(2 * (n - 1), 1)

    def outside(places: Any) -> Any:
        mirrored = places % period
        periods = places // period
        turned = mirrored >= n
        entries = np.where(turned, period - mirrored - (1 if mode == "symmetric" else 0), mirrored)
        shape = tuple(-1 if k == axis else 1 for k in range(array.ndim))
        # Of an end that counts nothing, nothing comes, also where it is infinite.
        ends = (-2 * periods, first), (2 * periods + 2 * turned, last)
        parts = [
            np.where(np.reshape(share == 0, shape), 0, np.reshape(share, shape).astype(array.dtype) * end)
            for share, end in ends
        ]
        signs = np.reshape(np.where(turned, -1, 1), shape).astype(array.dtype)
        return np.astype(parts[0] + parts[1] + signs * _taken(array, entries, axis), array.dtype)

    parts = [outside(np.arange(-before, 0)), array, outside(np.arange(n, n + after))]
    return np.concatenate(parts, axis)


def _taken(array: Any, places: Any, axis: int) -> Any:
    return array[(*(slice(None),) * axis, places)]


def _along(arr: Any, axis: int | None) -> tuple[Any, int]:
    """The array and an axis of it; flat where the axis is None."""
    return (np.reshape(arr, (-1,)), 0) if axis is None else (arr, normalize_axis_index(axis, np.ndim(arr)))


@stands_for(np.delete)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """As `np.delete`: without the entries at some places."""
    arr, axis = _along(arr, axis)
    return _taken(arr, np.delete(np.arange(arr.shape[axis]), arrays(obj)), axis)


@stands_for(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """As `np.insert`: with entries put in before some places."""
    arr, axis = _along(arr, axis)
    obj = arrays(obj)
    if getattr(np.asarray(obj), "dtype", None) == np.bool_ and not isinstance(obj, slice):
        if np.ndim(obj) != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        obj = np.flatnonzero(obj)
    if not hasattr(values, "dtype"):
        values = np.asarray(values)
    if np.ndim(obj) == 0 and not isinstance(obj, slice):
        values = np.reshape(values, (1,) * (arr.ndim - values.ndim) + values.shape)
        values = np.moveaxis(values, 0, axis)
        obj = [obj] * values.shape[axis]
    n = arr.shape[axis]
    many = len(np.arange(n)[obj] if isinstance(obj, slice) else np.atleast_1d(obj))
    values = np.broadcast_to(values, (*arr.shape[:axis], many, *arr.shape[axis + 1 :]))
    both = np.concatenate([arr, np.astype(values, arr.dtype)], axis)
    return _taken(both, np.insert(np.arange(n), obj, np.arange(n, n + many)), axis)


@stands_for(np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    """As `np.resize`: the entries again and again until the shape is full."""
    places = np.resize(np.arange(a.size), arrays(new_shape))
    return np.zeros_like(a, shape=places.shape) if a.size == 0 else np.reshape(a, (-1,))[places]


@stands_for(np.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """As `np.trim_zeros`: along these axes, or all, the stretch outside of which everything is zero."""
    ends = trim.lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = tuple(range(filt.ndim)) if axis is None else normalize_axis_tuple(axis, filt.ndim)
    if not axes:
        return filt
    places = np.nonzero(np.atleast_1d(arrays(filt)))
    stretches = (_stretch(places[k], ends) if k in axes else slice(None) for k in range(filt.ndim))
    return filt[tuple(stretches)]


def _stretch(places: Any, ends: str) -> slice:
    """From the first of these places to the last, trimmed at these ends; nothing where there is no place."""
    if not len(places):
        return slice(0, 0)
    return slice(int(places.min()) if "f" in ends else None, int(places.max()) + 1 if "b" in ends else None)
