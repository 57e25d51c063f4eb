"""## What it does
Finds `ctx.set_materialize_grads(False)` where the backward uses an incoming gradient that it never
compares with `None`.

## Why is this bad?
An output that takes no part in the result then has `None` for its gradient, and the backward raises.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a * grad
```

## Use instead
Test for `None`:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        if grad is None:
            return None
        (a,) = ctx.saved_tensors
        return 2 * a * grad
```

## References
PyTorch: `FunctionCtx.set_materialize_grads`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import TorchRule, finding

CODE = "PB206"
HINT = "test the gradient for None before using it"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per incoming gradient."""
    place = facts.forward.context.unmaterialized
    if place is None:
        return
    used = {token for _, value, _ in facts.gradients for thing in value for token in thing.facts.flows}
    for token in facts.backward.gradients:
        if token in used and token not in facts.backward.tested:
            message = f"`{token.name}` may be None after `set_materialize_grads(False)`, and no test says so"
            yield finding(CODE, facts, message, place, token.name, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
