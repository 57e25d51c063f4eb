"""Leaves made from arrays."""

from __future__ import annotations

from typing import Any

from ..tensor.leaf_values import copied, shared
from .tensor import Tensor


def tensor(array: Any, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """A leaf that owns a copy of the values."""
    made = Tensor(copied(array), name=name)
    return made.requires_grad_() if requires_grad else made


def from_numpy(array: Any) -> Tensor:
    """A leaf over the array's own memory: each sees what the other writes."""
    return Tensor(shared(array))
