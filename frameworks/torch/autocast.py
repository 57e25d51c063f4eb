"""The rule of an operator for its operands under `torch.autocast`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from ..transpile.ir import Formula

# PyTorch computes the first in autocast's dtype, and has the second in float32 at least.
_PRODUCTS = {"matmul", "contract", "convolve", "einsum", "tensordot", "dot", "vdot", "inner", "kron"}
_PRODUCTS |= {"matvec", "vecmat", "vecdot", "multi_dot"}
_DECOMPOSING = {"solve", "inv", "cholesky", "det", "slogdet", "eigh", "eigvalsh", "qr", "svd", "svdvals"}
_DECOMPOSING |= {"lstsq", "pinv", "solve_triangular"}


@dataclass(frozen=True)
class Autocast:
    """The rule of a formula: `lower` computes in autocast's dtype, `upper` in float32 at least."""

    lower: bool
    upper: bool

    @classmethod
    def of(cls, formula: Formula) -> Autocast:
        """That of what it computes: products of matrices, decompositions, or neither."""
        used = {eqn.op for eqn in formula.forward.every()}
        used |= {name.removeprefix("linalg.").removeprefix("linalg_") for name in used}
        upper = bool(used & _DECOMPOSING)
        return cls(bool(used & _PRODUCTS) and not upper, upper)

    def cast(self, value: Any, device: str) -> Any:
        """An argument of a call, or several, cast."""
        if not (self.lower or self.upper):
            return value
        if isinstance(value, (list, tuple)):
            return [self.cast(each, device) for each in value]
        if not isinstance(value, torch.Tensor) or value.device.type != device:
            return value
        if not value.is_floating_point() or value.dtype == torch.float64:
            return value
        return value.to(torch.get_autocast_dtype(device) if self.lower else torch.float32)

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
