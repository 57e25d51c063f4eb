"""The rule of an operator for its operands under `torch.autocast`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from ..transpile.emit.torch.autocast import autocast_rule
from ..transpile.ir import Formula
from .helpers.autocasting import lowered, raised


@dataclass(frozen=True)
class Autocast:
    """The rule of a formula: "lowered" computes in autocast's dtype, "raised" in float32 at least."""

    rule: str

    @classmethod
    def of(cls, formula: Formula) -> Autocast:
        """That of what it computes: products of matrices, decompositions, or neither."""
        return cls(autocast_rule(formula))

    def cast(self, value: Any, device: str) -> Any:
        """An argument of a call, or several, cast if on this device."""
        if isinstance(value, (list, tuple)):
            return [self.cast(each, device) for each in value] if self.rule else value
        if not self.rule or not isinstance(value, torch.Tensor) or value.device.type != device:
            return value
        return lowered(value) if self.rule == "lowered" else raised(value)

    def cast_where_enabled(self, value: Any) -> Any:
        """An argument of a call, cast if autocast is on for its device."""
        for device in ("cpu", "cuda"):
            if torch.is_autocast_enabled(device):
                value = self.cast(value, device)
        return value

    @staticmethod
    def excluded() -> Any:
        """A context in which nothing is cast."""
        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)
        keys = keys | torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCUDA)
        return torch._C._ExcludeDispatchKeyGuard(keys)
