"""Saved values as rows of numbers, as kernels hand them from a forward to its backward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .plumbing import Like

# An array's axes, at most, as kernels count them.
_MOST_AXES = 8
_DTYPES: dict[int, np.dtype[Any]] = {np.dtype(code).num: np.dtype(code) for code in "?bBhHiIlLqQefdgFDG"}
_KINDS = {"int": int, "maybe": int, "float": float, "strong": np.float64, "bool": bool}
# None for a number or a bound, and what an item of an index is: pb::kNone and pb::Index of
# kernel/indexing/index.h.
_ABSENT = -(2**63)
_AT, _SLICE, _ELLIPSIS, _NEW_AXIS = range(4)


def packed(value: Any, kind: str, depth: int = 0) -> Any:
    """A shape or a number, or lists of these, as a row of numbers that an array saves.

    kind    "like", "shape", "int", "float", "strong" (a float64 of NumPy's), "bool", "maybe int" (None
            too), "index" (an item of one) or "index 2" (a tuple of two items)
    depth   how many lists there are within each other

    A shape is its number of axes (-1 for None), NumPy's number for its dtype and the lengths of up
    to eight axes; a list is its length and its elements, None for one is an empty list. An item of an
    index is a number for what it is, and three bounds.

    >>> packed([Like((2,), np.dtype(float)), Like((), np.dtype(float))], "like", 1)[:5]
    array([ 2,  1, 12,  2,  0])
    """
    kind, depth = _element(kind, depth)
    numbers = list(_numbers(value, kind, depth))
    if kind == "int" and max(map(abs, numbers), default=0) >= 2**63:
        kind = "float"  # as arrays beside it take it
    return np.array(numbers, np.float64 if kind in ("float", "strong") else np.int64)


def _numbers(value: Any, kind: str, depth: int) -> Iterator[Any]:
    if depth:
        items = () if value is None else value
        yield len(items)
        for item in items:
            yield from _numbers(item, kind, depth - 1)
    elif kind == "index":
        yield from _bounds(value)
    elif kind not in ("like", "shape"):
        missing = _ABSENT if kind == "maybe" else 0
        yield missing if value is None else value
    else:
        shape = () if value is None else value.shape if isinstance(value, Like) else value
        yield -1 if value is None else len(shape)
        yield value.dtype.num if isinstance(value, Like) else 0
        yield from (*shape, *(0,) * (_MOST_AXES - len(shape)))


def unpacked(rows: Any, kind: str, depth: int = 0) -> Any:
    """The value that was packed, of the same kind and depth.

    >>> unpacked(packed([[1, 2], []], "int", 2), "int", 2)
    [[1, 2], []]
    >>> unpacked(packed((slice(1, None), ...), "index 2"), "index 2")
    (slice(1, None, 1), Ellipsis)
    """
    element, lists = _element(kind, depth)
    value = _value(iter(np.asarray(rows).tolist()), element, lists)
    return tuple(value) if lists > depth else value


def _element(kind: str, depth: int) -> tuple[str, int]:
    """The kind of the innermost elements, and the depth of lists around them; a tuple of items is one."""
    element, _, more = kind.partition(" ")
    return element, depth + (element == "index" and bool(more))


def _bounds(item: Any) -> tuple[int, ...]:
    """An item of an index: what it is, and its bounds."""
    if isinstance(item, slice):
        bounds = (_ABSENT if bound is None else bound for bound in (item.start, item.stop))
        return (_SLICE, *bounds, 1 if item.step is None else item.step)
    if item is None or item is Ellipsis:
        return (_NEW_AXIS if item is None else _ELLIPSIS, _ABSENT, _ABSENT, 1)
    return (_AT, item, _ABSENT, 1)


def _item(what: int, start: int, stop: int, step: int) -> Any:
    if what == _SLICE:
        return slice(None if start == _ABSENT else start, None if stop == _ABSENT else stop, step)
    return {_AT: start, _ELLIPSIS: Ellipsis, _NEW_AXIS: None}[what]


def _value(numbers: Iterator[Any], kind: str, depth: int) -> Any:
    if depth:
        return [_value(numbers, kind, depth - 1) for _ in range(int(next(numbers)))]
    if kind == "index":
        return _item(*(int(next(numbers)) for _ in range(4)))
    if kind not in ("like", "shape"):
        number = next(numbers)
        return None if kind == "maybe" and number == _ABSENT else _KINDS[kind](number)
    ndim, dtype, *lengths = (int(next(numbers)) for _ in range(2 + _MOST_AXES))
    if ndim < 0:
        return None
    shape = tuple(lengths[:ndim])
    return Like(shape, _DTYPES[dtype]) if kind == "like" else shape
