"""A formula as a function of torch tensors."""

from __future__ import annotations

import itertools
import linecache
import pickle
import sys
from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from ..engine.formula.formula import LIBRARY_OF_PROCESS, Formula
from ..transpile.emit.array_library.helpers import Helpers
from ..transpile.emit.torch.module import free_name, torch_module
from ..transpile.passes.promote.for_frameworks import for_frameworks

HELPERS = Path(__file__).parent / "helpers"
_COUNT = itertools.count()


class TorchFunction:
    """An operator of PyTorch made of a formula: `function` makes them.

    formula  the formula
    name     its function's name in the module that runs
    source   the text of the module that runs
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        formula.refuse_recursion()
        promoted = for_frameworks(formula.ir, LIBRARY_OF_PROCESS)
        helpers = Helpers.of_folder(HELPERS)
        self.name = free_name(formula.__name__, helpers)
        self.source = torch_module([(self.name, promoted)], LIBRARY_OF_PROCESS, helpers)
        self.module = module_of(self.name, self.source)
        self._run: Callable[..., Any] = getattr(self.module, self.name)
        update_wrapper(self, formula.__wrapped__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_dynamo_compiling():
            _in_one_call(self)
        return self._run(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<torch function of {self.formula!r}>"

    def __copy__(self) -> TorchFunction:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TorchFunction:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """By the name that the formula, or this function, has in its module."""
        module, name = self.formula.__module__, self.formula.__wrapped__.__qualname__
        try:
            found = _named(module, name)
        except (ImportError, AttributeError):
            found = None
        if found is not self and found is not self.formula:
            raise pickle.PicklingError(f"{module}.{name} is not the formula: one is pickled by its name")
        return _loaded, (module, name)


def _in_one_call(function: TorchFunction) -> None:
    """Make it one call in torch.compile's graphs: tracing into it loses the backward inside of torch.func."""
    torch.compiler.allow_in_graph(function._run)


# The tracer calls it, and does not trace it. What `torch.compiler.assume_constant_result` sets, which imports
# torch._dynamo, as `allow_in_graph` does: that takes seconds, and waits for the first trace.
_in_one_call._dynamo_marked_constant = True  # type: ignore[attr-defined]  # as PyTorch does


def function(formula: Any) -> TorchFunction:
    """The operator of a formula for torch tensors, differentiable to every order.

    formula  what `pb.formula` or `pb.derive_pullback` makes

    The function takes the formula's arguments as torch tensors and returns its results. It works in
    `torch.func`, in forward mode, under `torch.vmap` and `torch.compile`; its text is `source`. Its
    operands are floating-point tensors on one device.

    Raises FormulaError (PB502) at what PyTorch has no equal of, TypeError for what is no formula.

    >>> import numpy as np, torch
    >>> import pullback as pb
    >>> @pb.formula
    ... def softplus(x):
    ...     t = np.exp(x)
    ...     return np.log1p(t), lambda grad: grad * t / (1 + t)
    >>> x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    >>> (first,) = torch.autograd.grad(function(softplus)(x), x, create_graph=True)
    >>> torch.autograd.grad(first, x)
    (tensor(0.2217, dtype=torch.float64),)
    """
    if not isinstance(formula, Formula):
        kind = type(formula).__name__
        raise TypeError(f"pullback.torch.function takes a formula, not {kind}: decorate it with pb.formula")
    return TorchFunction(formula)


def module_of(name: str, text: str) -> ModuleType:
    """The module of a text, whose lines tracebacks show."""
    module = ModuleType(f"pullback.torch.generated.{name}_{next(_COUNT)}")
    path = f"<{module.__name__}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    # torch.compile looks names up in the module that a function says it is from.
    sys.modules[module.__name__] = module
    exec(compile(text, path, "exec"), module.__dict__)
    return module


def _named(module: str, name: str) -> Any:
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _loaded(module: str, name: str) -> TorchFunction:
    """The function that was pickled by this name."""
    found = _named(module, name)
    return found if isinstance(found, TorchFunction) else function(found)
