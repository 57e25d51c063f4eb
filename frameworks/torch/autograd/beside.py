"""Derivatives that PyTorch states beside its table, in C++."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pullback import aten

from ..derivatives.table import Derivative


def copy(self: Any, src: Any, *, non_blocking: bool = False) -> Any:
    """copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor"""
    return aten.copy(self, src, non_blocking), lambda grad: (None, grad)


BESIDE: Mapping[str, Derivative] = {"copy": Derivative("copy", copy, ())}
