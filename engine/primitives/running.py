"""Running extremes: what ``np.maximum.accumulate`` gives, and where it found it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dispatch import engine_of
from ..core.registry import FORMULAS


def cummax(x: Any, axis: int = 0) -> Any:
    """The greatest entry so far along an axis; from a NaN on, NaN.

    >>> cummax(np.array([1.0, 3.0, 2.0]))
    array([1., 3., 3.])
    """
    return np.maximum.accumulate(x, axis) if engine_of(x) is None else FORMULAS[cummax](x, axis)


def cummin(x: Any, axis: int = 0) -> Any:
    """The least entry so far along an axis; from a NaN on, NaN.

    >>> cummin(np.array([2.0, 3.0, 1.0]))
    array([2., 2., 1.])
    """
    return np.minimum.accumulate(x, axis) if engine_of(x) is None else FORMULAS[cummin](x, axis)


def argcummax(a: Any, axis: int = 0) -> Any:
    """The positions of the greatest entries so far along an axis: of equal ones the last, or the last NaN.

    >>> argcummax(np.array([1.0, 3.0, 2.0, 3.0]))
    array([0, 1, 1, 3])
    """
    return _places(np.maximum, a, axis)


def argcummin(a: Any, axis: int = 0) -> Any:
    """The positions of the least entries so far along an axis: of equal ones the last, or the last NaN.

    >>> argcummin(np.array([2.0, 3.0, 1.0]))
    array([0, 0, 2])
    """
    return _places(np.minimum, a, axis)


def _places(extreme: np.ufunc, a: Any, axis: int) -> Any:
    """The last position so far at which an entry is the running extreme; of a tensor too an array."""
    engine = engine_of(a)
    if (of_each_example := getattr(engine, "unrecorded", None)) is not None:
        return of_each_example(_places, (extreme, a, axis), {})
    a = np.asarray(a if engine is None else a.detach())
    line = np.expand_dims(np.arange(a.shape[axis]), tuple(range(1, a.ndim)))
    found = (a == extreme.accumulate(a, axis)) | (a != a)  # a NaN is the extreme of what stands after it
    return np.maximum.accumulate(np.where(found, np.moveaxis(line, 0, axis), 0), axis)
