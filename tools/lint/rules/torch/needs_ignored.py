"""## What it does
Finds a backward that computes gradients for several inputs and never looks at
`ctx.needs_input_grad`.

## Why is this bad?
It computes gradients that nobody asks for.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad @ b.T, a.T @ grad
```

## Use instead
Compute what is needed:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        first = grad @ b.T if ctx.needs_input_grad[0] else None
        second = a.T @ grad if ctx.needs_input_grad[1] else None
        return first, second
```

## References
PyTorch: `FunctionCtx.needs_input_grad`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import TorchRule, finding

CODE = "PB903"
HINT = "compute a gradient only where `ctx.needs_input_grad` asks for it"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per class."""
    if len(facts.differentiable) > 1 and not facts.backward.asks_needs:
        count = len(facts.differentiable)
        message = f"the backward computes {count} gradients, and `ctx.needs_input_grad` is ignored"
        yield finding(CODE, facts, message, facts.backward.returns[-1].span, "needs_input_grad", HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
