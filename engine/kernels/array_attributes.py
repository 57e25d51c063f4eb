"""Arrays in the attributes of a call, which kernels take as inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...transpile.passes.kernel.array_attributes import ArrayOf, Indexing, RegionOf
from ..core.dispatch import engine_of
from ..primitives.regions import Region

SplitAttributes = tuple[dict[str, Any], list[np.ndarray[Any, Any]]]


def split_attributes(attributes: Mapping[str, Any], indexing: Indexing) -> SplitAttributes | None:
    """The attributes with an `ArrayOf` for each array, and the arrays: positions as int64, and masks.

    Lists in attributes that index arrays are arrays too, and of a region there are
    the places of its entries. None where something else is an array, a tensor, or a
    number of NumPy's, which widens what it meets: that runs on the formula.

    >>> index = Indexing(frozenset({"index"}), frozenset({"index"}))
    >>> split_attributes({"index": ([0, 2], slice(1, None)), "shape": [2, 3]}, index)[0]
    {'index': (ArrayOf(dtype='int64_t', rank=1), slice(1, None, None)), 'shape': [2, 3]}
    >>> split_attributes({"axis": np.int64(1)}, index) is None
    True
    """
    arrays: list[np.ndarray[Any, Any]] = []
    try:
        for name in attributes.keys() & (indexing.somehow - indexing.plainly):
            _without_lists(attributes[name])
        found = {name: _split(value, name in indexing.plainly, arrays) for name, value in attributes.items()}
    except TypeError:
        return None
    return found, arrays


def _split(value: Any, is_index: bool, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if isinstance(value, Region):
        places = _array(value.all_places(), arrays)
        unwritten = None if value.unwritten is None else _array(value.unwritten, arrays)
        return RegionOf(value.base, places, unwritten)
    if isinstance(value, list) and is_index:
        value = np.asarray(value) if value else np.zeros(0, np.int64)
    if isinstance(value, np.ndarray):
        return _array(value, arrays)
    if isinstance(value, np.generic) or engine_of(value) is not None:
        raise TypeError(value)
    if type(value) in (tuple, list):
        items = [_split(item, is_index, arrays) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    return value


def _without_lists(value: Any) -> None:
    """Raises TypeError for a list, whose items may be arrays in an index, and integers elsewhere."""
    if isinstance(value, list):
        raise TypeError(value)
    if isinstance(value, tuple):
        for item in value:
            _without_lists(item)


def _array(array: np.ndarray[Any, Any], arrays: list[np.ndarray[Any, Any]]) -> ArrayOf:
    """Describe an array and add it to the others. Raises TypeError where no kernel takes it."""
    if array.dtype.kind != "b" and not np.can_cast(array.dtype, np.int64):
        raise TypeError(array.dtype)
    is_mask = array.dtype.kind == "b"
    arrays.append(array if is_mask else array.astype(np.int64, copy=False))
    return ArrayOf("bool" if is_mask else "int64_t", array.ndim)
