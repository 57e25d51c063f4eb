"""The values of a new leaf: arrays of numbers or bools, copied or shared."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.foreign import refuse_foreign
from .base import Tensor

KINDS = "biufc"  # of dtypes


def copied(array: Any) -> np.ndarray[Any, Any]:
    """A copy of an array, of a tensor's values, or of numbers. Raises TypeError for another dtype."""
    return _checked(np.array(array._array if isinstance(array, Tensor) else array))


def shared(array: Any) -> np.ndarray[Any, Any]:
    """The array itself. Raises TypeError for what is none, and for another dtype."""
    if not isinstance(array, np.ndarray):
        refuse_foreign(array)
        raise TypeError(
            f"from_numpy takes an array, not {type(array).__name__}; pb.tensor takes numbers and lists"
        )
    return _checked(np.asarray(array))


def _checked(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype.kind not in KINDS:
        raise TypeError(f"a tensor holds numbers or bools, not {array.dtype}")
    return array
