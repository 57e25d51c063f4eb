"""ATen's functions, by which formulas of PyTorch's table of derivatives are written: `aten.exp(x)`.

An implementation brings them: importing `pullback.torch` brings PyTorch's. Formulas may be imported and read
without one.

>>> from pullback import aten
>>> import pullback.torch, torch
>>> aten.exp2(torch.tensor([1.0, 3.0]))
tensor([2., 8.])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_FIND: list[Callable[[str], Any]] = []


def implement(find: Callable[[str], Any]) -> None:
    """Take ATen's functions from `find`, which gives the one of a name, or raises AttributeError."""
    _FIND[:] = [find]


def __getattr__(name: str) -> Any:
    """The function of ATen with this name. Raises AttributeError before there is an implementation."""
    if name.startswith("__"):
        raise AttributeError(name)
    if not _FIND:
        raise AttributeError(f"aten.{name} needs an implementation of ATen: import pullback.torch")
    return _FIND[0](name)
