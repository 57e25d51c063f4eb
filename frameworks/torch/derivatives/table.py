"""Formulas of a folder that `pullback import-derivatives` wrote, by the operators that they are of."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from typing import Any

import torch

from pullback.engine.formula.formula import Formula

from . import functions as functions

_COUNT = count()
_SCHEMA = re.compile(r"\s*([\w.]+)\(")


@dataclass(frozen=True)
class Derivative:
    """The formula of an operator of ATen.

    operator  its name: "add.Tensor"
    function  what the author wrote: it returns results, and the closure of gradients
    plain     positions of results without a gradient
    tangent   the rule for forward mode, or None
    """

    operator: str
    function: Callable[..., Any]
    plain: tuple[int, ...]
    tangent: Callable[..., Any] | None = None

    @cached_property
    def overload(self) -> Any:
        """PyTorch's operator."""
        base, _, name = self.operator.partition(".")
        return getattr(getattr(torch.ops.aten, base), name or "default")

    @cached_property
    def is_composite(self) -> bool:
        """True where PyTorch differentiates what the operator calls; its entry is for nested tensors only."""
        name = self.overload.name()
        return bool(torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"))

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs, a gradient each."""
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD)

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call of the operator, as the inputs and the attributes of the formula."""
        given: dict[str, Any] = {}
        for place, argument in enumerate(self.overload._schema.arguments):
            name = f"{argument.name}_" if argument.name in ("from", "lambda") else argument.name
            if place < len(args):
                given[name] = args[place]
            elif argument.name in kwargs:
                given[name] = kwargs[argument.name]
            else:
                given[name] = argument.default_value
        inputs = [given.pop(name) for name in self.inputs]
        return inputs, given


class Derivatives(Mapping[str, Derivative]):
    """The formulas of a folder, by the operator's name: `derivatives["add.Tensor"]`.

    Variants for other dispatch keys are left out: they are not for the tensors of this engine.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._found: dict[str, Derivative] = {}
        for path in sorted(self.folder.glob("*.py")):
            self._found |= {derivative.operator: derivative for derivative in derivatives_of(path)}

    def __getitem__(self, operator: str) -> Derivative:
        return self._found[operator]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def derivatives_of(path: Path) -> Iterator[Derivative]:
    """The formulas of a file that are of operators, which their docstrings name by their schemas."""
    for formula in list(vars(_module(path)).values()):
        match = _SCHEMA.match(formula.__doc__ or "") if isinstance(formula, Formula) else None
        if match is None:
            continue
        operator = match[1]
        name = operator.replace(".", "_")
        if formula.__name__ in (name, f"{name}_"):
            yield Derivative(operator, formula.__wrapped__, formula._options.nondifferentiable, formula._jvp)


def _module(path: Path) -> Any:
    name = f"pullback_imported_{next(_COUNT)}_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {path}")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
