"""Saved values as rows of numbers, and the other way round: numbers, shapes and lists of them."""

from __future__ import annotations

from typing import Any

from ..expressions import DataType, ListOf
from .places import Array, NotInterpreted

# PB_MAX_DIMS of kernel_abi.h.
_AXES = 8


def row_of(value: Any, kind: int) -> list[Any]:
    """The row of a value, whose shapes are of arrays with NumPy's number `kind` for their dtype.

    Raises NotInterpreted for an index.

    >>> row_of([2, 3], 12), row_of((5,), 12)
    ([2, 2, 3], [1, 12, 5, 0, 0, 0, 0, 0, 0, 0])
    """
    if isinstance(value, tuple):
        return [len(value), kind, *value, *[0] * (_AXES - len(value))]
    if isinstance(value, list):
        return [len(value), *(number for item in value for number in row_of(item, kind))]
    if value is None or value is Ellipsis or isinstance(value, slice):
        raise NotInterpreted("pack of an index")
    return [value]


def value_of(row: Array, kind: DataType) -> Any:
    """The value of this type that was packed.

    Raises NotInterpreted for an index.

    >>> import numpy as np
    >>> value_of(np.array([2, 2, 3]), ListOf("int64_t"))
    [2, 3]
    """
    return _read(iter(row.tolist()), kind)


def _read(numbers: Any, kind: DataType) -> Any:
    first = next(numbers)
    if isinstance(kind, ListOf):
        return [_read(numbers, kind.element) for _ in range(int(first))]
    if kind == "Shape":
        next(numbers)
        lengths = [next(numbers) for _ in range(_AXES)]
        return tuple(lengths[: max(first, 0)])
    if kind == "Index":
        raise NotInterpreted("unpack of an index")
    return first
