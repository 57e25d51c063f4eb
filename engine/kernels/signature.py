"""Facts of a call's arguments that kernels are compiled for, and the arguments as a flat row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...transpile.passes.kernel.arguments import Argument
from ...transpile.passes.kernel.types import Dtype

_TYPES: dict[object, Dtype] = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int64): "int64_t",
    np.dtype(np.bool_): "bool",
}


def leaves(values: Iterable[Any]) -> list[Any]:
    """The values that are there, lists entered.

    >>> leaves([1, None, [2, 3]])
    [1, 2, 3]
    """
    found: list[Any] = []
    for value in values:
        if isinstance(value, (list, tuple)):
            found += leaves(value)
        elif value is not None:
            found.append(value)
    return found


def signature(names: Sequence[str], inputs: Sequence[Any], ranks: bool) -> dict[str, Argument]:
    """Differences from arrays of one float type; with the numbers of axes, where kernels depend on them.

    >>> signature(["x", "b"], [np.ones(3), None], ranks=False)
    {'b': Argument(dtype='T', rank=None, items=None, absent=True)}
    >>> signature(["x", "y"], [np.ones(3), np.ones(3, "float32")], ranks=False)["y"].dtype
    'float'
    """
    kinds = {_type(value) for value in leaves(inputs)} - {None, "bool"}
    common = len(kinds) <= 1 and kinds <= {"float", "double"}
    found = {}
    for name, value in zip(names, inputs, strict=True):
        argument = _argument(value, common, ranks)
        if argument != Argument():
            found[name] = argument
    return found


def _argument(value: Any, common: bool, ranks: bool) -> Argument:
    if value is None:
        return Argument(absent=True)
    if isinstance(value, (list, tuple)):
        return Argument(items=tuple(_argument(item, common, ranks) for item in value))
    rank = np.ndim(value) if ranks else None
    return Argument("T" if common else _type(value) or "T", rank)


def _type(value: Any) -> Dtype | None:
    dtype = getattr(value, "dtype", None)
    return None if dtype is None else _TYPES.get(dtype)
