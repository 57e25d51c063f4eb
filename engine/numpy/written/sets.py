"""Arrays as sets: the chosen one of equal entries takes the gradient to its place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...calls.call import arrays
from .table import stands_for


@stands_for(np.unique)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """As `np.unique`; of equal entries the first one takes the gradient."""
    axis = arrays(axis)
    _, index, inverse, counts = np.unique(
        arrays(ar), True, True, True, axis, equal_nan=bool(arrays(equal_nan))
    )
    made = ar.__array_namespace__().asarray
    flat, along = (np.reshape(ar, (-1,)), 0) if axis is None else (ar, normalize_axis_index(axis, ar.ndim))
    before: Any = (slice(None),) * along
    kept = flat[(*before, index)]
    asked = ((return_index, index), (return_inverse, inverse), (return_counts, counts))
    rest = tuple(made(value) for wanted, value in asked if wanted)
    return (kept, *rest) if rest else kept


def _named(function: Any, ar: Any, *returned: bool) -> Any:
    """The named tuple of one of NumPy's functions for the array API, in which NaN equals nothing."""
    kind = type(function(np.zeros(1)))
    return kind(*unique(ar, *returned, equal_nan=False))


@stands_for(np.unique_all)
def unique_all(x: Any, /) -> Any:
    """As `np.unique_all`."""
    return _named(np.unique_all, x, True, True, True)


@stands_for(np.unique_counts)
def unique_counts(x: Any, /) -> Any:
    """As `np.unique_counts`."""
    return _named(np.unique_counts, x, False, False, True)


@stands_for(np.unique_inverse)
def unique_inverse(x: Any, /) -> Any:
    """As `np.unique_inverse`."""
    return _named(np.unique_inverse, x, False, True, False)


@stands_for(np.unique_values)
def unique_values(x: Any, /) -> Any:
    """As `np.unique_values`."""
    return unique(x, equal_nan=False)


@stands_for(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """As `np.union1d`."""
    return unique(np.concatenate([np.reshape(ar, (-1,)) for ar in (ar1, ar2)]))


@stands_for(np.intersect1d)
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """As `np.intersect1d`; the entries of the first array take the gradient."""
    _, first, second = np.intersect1d(arrays(ar1), arrays(ar2), assume_unique, return_indices=True)
    kept = np.reshape(ar1, (-1,))[first]
    return (kept, first, second) if return_indices else kept


@stands_for(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """As `np.setdiff1d`."""
    flat = np.reshape(ar1, (-1,))
    kept = flat if assume_unique else unique(flat)
    return kept[~np.isin(arrays(kept), arrays(ar2))]


@stands_for(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """As `np.setxor1d`."""
    both = np.concatenate([setdiff1d(ar1, ar2, assume_unique), setdiff1d(ar2, ar1, assume_unique)])
    return np.sort(both)
