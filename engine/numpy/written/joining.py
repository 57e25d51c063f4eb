"""Arrays put beside each other that get axes before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...calls.call import operators
from ..signatures.arguments import rank
from .table import stands_for


def _in_shape(array: Any, *shape: int) -> Any:
    return operators.reshape(array, shape=shape)


@stands_for(np.column_stack)
def column_stack(tup: Sequence[Any]) -> Any:
    """As `np.column_stack`: vectors as columns, matrices beside each other."""
    return operators.concatenate([a if rank(a) > 1 else _in_shape(a, -1, 1) for a in tup], axis=1)


@stands_for(np.dstack)
def dstack(tup: Sequence[Any]) -> Any:
    """As `np.dstack`: arrays behind each other, along a third axis."""
    return operators.concatenate([_deep(a) for a in tup], axis=2)


def _deep(a: Any) -> Any:
    """An array with a third axis at least: a vector is a row."""
    count = rank(a)
    if count > 2:
        return a
    return operators.expand_dims(a, axis=2) if count == 2 else _in_shape(a, 1, -1, 1)


@stands_for(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """As `np.append`: both along an axis; all entries of both in a line where none is given."""
    if axis is not None:
        return operators.concatenate([arr, values], axis=axis)
    return operators.concatenate([a if rank(a) == 1 else _in_shape(a, -1) for a in (arr, values)], axis=0)
