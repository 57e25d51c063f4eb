"""Leaves made from arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import Tensor as AnyTensor
from .tensor import Tensor

KINDS = "biufc"


def _checked(array: Any) -> Any:
    if array.dtype.kind not in KINDS:
        raise TypeError(f"a tensor holds numbers or bools, not {array.dtype}")
    return array


def tensor(array: Any, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """A leaf that owns a copy of the values."""
    if isinstance(array, AnyTensor):
        array = array._array
    made = Tensor(_checked(np.array(array)), name=name)
    return made.requires_grad_() if requires_grad else made


def from_numpy(array: Any) -> Tensor:
    """A leaf over the array's own memory: each sees what the other writes."""
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"from_numpy takes an array, not {type(array).__name__}; pb.tensor takes numbers and lists"
        )
    return Tensor(_checked(array))
