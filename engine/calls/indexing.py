"""Kinds of indexes: those that give a view, and those with arrays that list entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import arrays

Array = np.ndarray[Any, Any]


def is_basic(index: Any) -> bool:
    """True for an index that gives a view: integers, slices, None and Ellipsis only.

    >>> is_basic((0, slice(None))), is_basic([0, 1]), is_basic(True)
    (True, False, False)
    """
    if type(index) is tuple:
        return all(map(_is_basic_part, index))
    return _is_basic_part(index)


def _is_basic_part(part: Any) -> bool:
    kind = type(part)
    return kind is int or kind is slice or part is None or part is Ellipsis or isinstance(part, np.integer)


def part_of(array: Array, index: Any) -> Array:
    """The view that a basic index picks, of no axes where it picks one entry.

    >>> part_of(np.zeros(3), 1).shape
    ()
    """
    parts = index if isinstance(index, tuple) else (index,)
    part: Array = array[parts if any(part is Ellipsis for part in parts) else (*parts, ...)]
    return part


def owned(index: Any) -> Any:
    """An index as it is now: copies of the arrays and tensors in it, which somebody may write later."""
    if isinstance(index, tuple):
        return tuple(map(owned, index))
    value = arrays(index)
    return value.copy() if isinstance(value, np.ndarray) else value
