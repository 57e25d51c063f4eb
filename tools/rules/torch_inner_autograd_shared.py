"""## What it does
Finds a backward that computes a gradient itself by saved tensors that are not isolated: not copied
first.

## Why is this bad?
Where the incoming gradient depends on the saved tensors too, as it does in a second derivative, the
inner gradient walks back through that dependence, and counts it twice.

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
            inner = a.sin()
        return torch.autograd.grad(inner, a, grad, create_graph=True)[0]
```

## Use instead
Copy them first with `clone()`, which keeps the path:
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
        return torch.autograd.grad(inner, copy, grad, create_graph=True)[0]
```

## References
PyTorch: `torch.autograd.grad`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.analysis.torch.facts import ClassFacts
from pullback.transpile.diagnostics import Diagnostic

from .torch_rule import SECOND, TorchRule, finding

CODE = "PB110"
HINT = "copy the saved tensors with `clone()` before computing with them"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per inner gradient by saved tensors themselves."""
    if facts.once_differentiable:
        return
    for inner in facts.inner:
        if inner.shared:
            message = (
                f"`{inner.text}` inside the backward takes a gradient by `{inner.shared}`, which is saved "
                f"and not isolated from the incoming gradient: {SECOND} where that depends on it"
            )
            yield finding(CODE, facts, message, inner.span, inner.shared, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
