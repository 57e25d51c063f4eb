"""A recording in which one operator is made of others: its derivative is derived, not that of its entry.

PyTorch has such a decomposition of many operators, for its compilers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from ..autograd.formulas import Formulas
from ..autograd.record import record
from ..derivatives.table import Derivative


def decomposition_of(overload: Any) -> Any:
    """PyTorch's decomposition of an operator, or None."""
    from torch._decomp import decomposition_table

    return decomposition_table.get(overload)


class Others(Formulas):
    """The formulas of a folder, but for that of one operator.

    left_out  the operator
    used      operators whose formulas were asked for, that one among them
    """

    def __init__(self, folder: Path | str) -> None:
        super().__init__(folder)
        self.left_out = ""
        self.used: set[str] = set()

    def get_derivative(self, operator: str) -> Derivative | None:
        """The formula of another operator, as it stands now."""
        found = super().get_derivative(operator)
        if found is not None:
            self.used.add(operator)
        return None if operator == self.left_out else found


@contextmanager
def record_decomposed(formulas: Others, derivative: Derivative) -> Iterator[None]:
    """Record with the decomposition of an operator in its place, by the formulas of the others."""
    formulas.left_out = derivative.operator
    with record(formulas), _Decomposing(derivative.overload):
        yield


class _Decomposing(TorchDispatchMode):
    """Calls an operator's decomposition for it, and of PyTorch's primitives what they are in ATen."""

    def __init__(self, overload: Any) -> None:
        super().__init__()
        self.overload = overload
        self.inside = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is self.overload and not self.inside:
            self.inside = True
            try:
                with self:
                    return decomposition_of(func)(*args, **kwargs)
            finally:
                self.inside = False
        if func.namespace == "prims":
            with self:
                return func.impl_aten(*args, **kwargs)
        return func(*args, **kwargs)
