"""Operands of the cases as torch tensors, and the cases as functions of tensors alone."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

import pullback.torch
from pullback.transpile.emit.torch.function import class_name_of

from .cases import Case


def arrays(case: Case, dtype: str = "float64", seed: int = 0) -> list[Any]:
    """Operands as NumPy arrays."""
    rng = np.random.default_rng(seed)

    def made(shape: Any, mask: bool) -> Any:
        if shape is None:
            return None
        if isinstance(shape, list):
            return [made(each, mask) for each in shape]
        if mask:
            return rng.random(shape) < 0.6
        low, high = (0.5, 1.5) if case.positive else (-1.0, 1.0)
        return np.asarray(rng.uniform(low, high, shape), dtype)

    return [made(shape, k in case.mask) for k, shape in enumerate(case.shapes)]


def tensors(operands: list[Any], requires_grad: bool = True) -> list[Any]:
    """The same as torch tensors."""

    def made(x: Any) -> Any:
        if isinstance(x, list):
            return [made(each) for each in x]
        if x is None:
            return None
        found = torch.tensor(x)
        return found.requires_grad_(requires_grad and found.is_floating_point())

    return [made(x) for x in operands]


def of_tensors(
    case: Case, operands: list[Any], operator: Any = None
) -> tuple[Callable[..., Any], tuple[torch.Tensor, ...]]:
    """The operator as a function of the tensors that have gradients, which gives those results that have."""
    operator = operator or pullback.torch.function(case.formula)
    constant = case.formula.ir.options.nondifferentiable
    flat = [x for given in operands for x in (given if isinstance(given, list) else [given])]
    inputs = tuple(x for x in flat if isinstance(x, torch.Tensor) and x.requires_grad)

    def call(*given: torch.Tensor) -> Any:
        values = iter(given)

        def taken(x: Any) -> Any:
            if isinstance(x, list):
                return [taken(each) for each in x]
            return next(values) if isinstance(x, torch.Tensor) and x.requires_grad else x

        found = operator(*map(taken, operands), **case.attributes)
        if not isinstance(found, tuple):
            return found
        kept = tuple(result for k, result in enumerate(found) if k not in constant)
        return kept if len(kept) > 1 else kept[0]

    return call, inputs


def composition(formula: Any) -> Any:
    """The forward's operations as PyTorch's autograd records them: the closure is not read."""
    operator = pullback.torch.function(formula)
    name = class_name_of(formula.__name__)
    plain = SimpleNamespace(apply=getattr(operator.module, name).forward)
    for each in (name, f"{name}WithTangents"):
        setattr(operator.module, each, plain)
    return operator


def total(found: Any) -> Any:
    """A number that is not linear in the results."""
    parts = found if isinstance(found, tuple) else (found,)
    return sum((torch.sin(part) * part).sum() for part in parts)


def three_orders(function: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Any]:
    """A number behind a non-linear head and tail of a function, and three orders of its derivatives."""
    value = total(function(*[torch.tanh(x) + x for x in inputs]))
    found = [value]
    for order in range(3):
        made = torch.autograd.grad(value, inputs, create_graph=order < 2, materialize_grads=True)
        found += made
        value = sum((g * g).sum() for g in made)
    return found
