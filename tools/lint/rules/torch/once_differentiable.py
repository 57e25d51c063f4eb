"""## What it does
Finds a `torch.autograd.Function` that carries `once_differentiable` and whose gradient depends on
differentiable values that were saved.

## Why is this bad?
The decorator does not refuse second derivatives: it raises only where the incoming gradient itself
requires grad and `.backward()` is used. Elsewhere the terms are dropped: for `f(x * x)` 30.375 came out
for 151.875.

## Example
```python
import torch
from torch.autograd.function import once_differentiable


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a * grad
```

## Use instead
A node that takes the differentiable inputs and the incoming gradients and raises in its own backward:
```python
import torch


class Barrier(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gradient, *differentiable):
        return gradient.clone()

    @staticmethod
    def backward(ctx, grad):
        raise RuntimeError("this operator has no second derivative")


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return Barrier.apply(2 * a * grad, a, grad)
```

## References
PyTorch: `torch/autograd/function.py`, `once_differentiable`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts, Saving, Use
from .torch_rule import TorchRule, finding, lost_term

CODE = "PB108"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per class, about the gravest value."""
    if not facts.once_differentiable:
        return
    flowing = [s for s in facts.saved if s.use is Use.VALUE and s.saving in UNSAFE]
    if not flowing:
        return
    worst = min(flowing, key=lambda saved: UNSAFE.index(saved.saving))
    line = f" (line {worst.returned.line})" if worst.returned is not None else ""
    message = (
        f"`once_differentiable` does not refuse second derivatives: the gradient{line} depends on "
        f"`{worst.name}`, {worst.saving.value}, and where the incoming gradient does not require grad "
        f"{lost_term(worst)} without an error"
    )
    span = facts.cls.own.module.span(facts.backward.method.node)
    yield finding(CODE, facts, message, replace(span, path=worst.saved.path), worst.name, HINT)


UNSAFE = (Saving.INTERMEDIATE, Saving.OPAQUE, Saving.CONDITIONAL, Saving.OUTPUT, Saving.INPUT)
HINT = "pass the gradient through a barrier: a node that raises in its own backward"


RULE = TorchRule(CODE, __doc__, check_class=check)
