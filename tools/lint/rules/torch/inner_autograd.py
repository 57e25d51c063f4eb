"""## What it does
Finds a backward that computes a gradient itself, with `torch.autograd.grad` or `.backward()`, without
`create_graph=True`.

## Why is this bad?
The inner gradient has no history: second derivatives are silently wrong, or an error that names
something else.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.sin()

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        with torch.enable_grad():
            copy = a.clone()
            inner = copy.sin()
        return torch.autograd.grad(inner, copy, grad)[0]
```

## Use instead
Ask for a graph where one is recorded:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.sin()

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        with torch.enable_grad():
            copy = a.clone()
            inner = copy.sin()
        return torch.autograd.grad(inner, copy, grad, create_graph=torch.is_grad_enabled())[0]
```

## References
PyTorch: `torch.autograd.grad`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import SECOND, TorchRule, finding

CODE = "PB109"
HINT = "pass `create_graph=torch.is_grad_enabled()`, or refuse second derivatives with a barrier"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per inner gradient without a graph."""
    if facts.once_differentiable or facts.refuses:
        return
    for inner in facts.inner:
        if not inner.creates_graph:
            message = (
                f"`{inner.text}` inside the backward, without `create_graph`: the gradient that it computes "
                f"has no history, and {SECOND}"
            )
            yield finding(CODE, facts, message, inner.span, inner.text, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
