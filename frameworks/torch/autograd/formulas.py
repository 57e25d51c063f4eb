"""The formulas that drive a recording, by operators: those of a folder, and those that replace them."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from pullback.engine.formula.formula import Formula

from ..derivatives.table import Derivative, derivatives_of
from .beside import BESIDE
from .imported import imported_formulas


@dataclass
class _File:
    """A file of formulas as it was read last."""

    path: Path
    written: int = 0
    found: dict[str, Derivative] = field(default_factory=dict)

    def read_again(self) -> bool:
        """Read the file where it was changed since; True where it was."""
        written = self.path.stat().st_mtime_ns
        if written == self.written:
            return False
        self.written = written
        linecache.checkcache(str(self.path))
        self.found = {derivative.operator: derivative for derivative in derivatives_of(self.path)}
        return True


class Formulas(MutableMapping[str, Any]):
    """Derivatives of ATen's operators by their names: `formulas["add.Tensor"]`.

    A formula that is set, or changed in its file, is used by the next call of its operator. One that is set
    is a function, or a `pb.formula`, which returns the operator's results and the closure of gradients. Its
    parameters are named as in the schema of the operator: tensors before `*`, other values after it.

    Parameters
    ----------
    folder : path, optional
        What `pullback import-derivatives -o` wrote. Default: the table of the installed PyTorch, which is
        imported into the folder of caches at first use.

    Examples
    --------
    >>> import torch, pullback.torch.autograd as autograd
    >>> from pullback import aten
    >>> formulas = autograd.Formulas()
    >>> def exp(self):
    ...     result = aten.exp(self)
    ...     return result, lambda grad: 10 * grad * result
    >>> formulas["exp"] = exp
    >>> x = torch.zeros(1, requires_grad=True)
    >>> with autograd.record(formulas):
    ...     y = torch.exp(x)
    >>> autograd.grad(y, x)
    (tensor([10.]),)
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self.folder = imported_formulas() if folder is None else Path(folder)
        self._own: dict[str, Derivative] = {}
        self._files: dict[str, _File] = {}
        for path in sorted(self.folder.glob("*.py")):
            file = _File(path)
            file.read_again()
            self._files |= dict.fromkeys(file.found, file)

    def own(self, operator: str) -> Derivative | None:
        """The formula of an operator that was set, and is not of the folder."""
        return self._own.get(operator)

    def get_derivative(self, operator: str) -> Derivative | None:
        """The formula of an operator, as it stands now."""
        own = self._own.get(operator)
        if own is not None:
            return own
        file = self._files.get(operator)
        if file is None:
            return BESIDE.get(operator)
        if file.read_again():
            self._files |= dict.fromkeys(file.found, file)
        return file.found.get(operator)

    def __getitem__(self, operator: str) -> Derivative:
        derivative = self.get_derivative(operator)
        if derivative is None:
            raise KeyError(operator)
        return derivative

    def __setitem__(self, operator: str, formula: Callable[..., Any]) -> None:
        operator = operator.removesuffix(".default")
        base, _, overload = operator.partition(".")
        packet = getattr(torch.ops.aten, base, None)
        if packet is None or (overload or "default") not in packet.overloads():
            raise KeyError(f"ATen has no operator {operator!r}")
        if isinstance(formula, Formula):
            plain = formula._options.nondifferentiable
            self._own[operator] = Derivative(operator, formula.__wrapped__, plain, formula._jvp)
        elif callable(formula):
            self._own[operator] = Derivative(operator, formula, ())
        else:
            raise TypeError(f"a formula of {operator} is a function, not {type(formula).__name__}")

    def __delitem__(self, operator: str) -> None:
        """Take a formula away that was set: that of the folder stands again."""
        del self._own[operator]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (
            name for name, file in self._files.items() if name in file.found and name not in self._own
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)


_DEFAULT: list[Formulas] = []


def table() -> Formulas:
    """The formulas of the installed PyTorch's table, which all recordings share that name no others."""
    if not _DEFAULT:
        _DEFAULT.append(Formulas())
    return _DEFAULT[0]
