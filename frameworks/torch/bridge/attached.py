"""An operator of torch.ops whose calls on the CPU go through the bridge."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
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

    def direct(self, overload: Any) -> Any:
        """A function that calls the operator, without the dispatcher where only the bridge would come."""
        return bridge().pullback_torch_direct(self._address, overload)

    def close(self) -> None:
        """Take them out again."""
        if self._address is not None:
            bridge().pullback_torch_forget(self._address)
