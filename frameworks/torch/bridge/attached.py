"""An operator of torch.ops whose calls on the CPU go through the bridge."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

from .build import bridge
from .levels import Versions


class Attached:
    """The bridge's part of an operator. Raises CompilerError where there is no bridge.

    formula  the formula
    names    the operator's arguments, in the order of its schema
    """

    def __init__(self, formula: Any, names: Sequence[str]) -> None:
        self._versions = Versions(formula, names)
        self._address: int | None = None

    def attach(self, namespace: str, name: str, op_by_op: str) -> None:
        """Put kernels of an operator into the dispatcher; `op_by_op` is another of the same arguments."""
        row = self._versions.words()
        texts = [text.encode() for text in (namespace, name, f"{namespace}::{op_by_op}")]
        words = (ctypes.c_int64 * len(row))(*row)
        self._address = bridge().pullback_torch_operator(self._versions, *texts, words, len(row))

    def call_from(self, operator: Any, other: Any, is_tuple: bool) -> None:
        """Let an object of `directly` of a class call the operator; `other` takes what is no plain call."""
        bridge().pullback_torch_direct(operator, self._address, other, is_tuple)

    def close(self) -> None:
        """Take them out again."""
        if self._address is not None:
            bridge().pullback_torch_forget(self._address)


@cache
def directly(of: type) -> type:
    """The class, whose objects are called without a frame of Python's where only the bridge would come."""
    made = type(of.__name__, (of, _direct_type()), {"__doc__": of.__doc__, "__module__": of.__module__})
    bridge().pullback_torch_calls_directly(made)
    return made


@cache
def _direct_type() -> Any:
    return bridge().pullback_torch_direct_type()


def call_nothing_from(operator: Any, other: Any) -> None:
    """Let every call of an object go to a function."""
    bridge().pullback_torch_direct(operator, None, other, False)
