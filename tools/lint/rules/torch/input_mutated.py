"""## What it does
Finds a forward that changes an input in place without `ctx.mark_dirty`.

## Why is this bad?
Autograd doesn't know: other operators that saved the input compute their gradients with the changed
one, and the version check is blind to it.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2)
        return a.clone()

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad
```

## Use instead
Mark it, and return it, or change a copy:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2)
        ctx.mark_dirty(a)
        return a

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad
```

## References
PyTorch: `FunctionCtx.mark_dirty`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import TorchRule, finding

CODE = "PB305"
HINT = "call `ctx.mark_dirty` and return the input, or change a copy"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per input and place."""
    parameters = {parameter.token: parameter for parameter in facts.forward.parameters}
    seen = set()
    for write in facts.forward.writes:
        parameter = parameters.get(write.owner)
        if parameter is None or write.owner in facts.forward.context.dirty or write.span in seen:
            continue
        if parameter.name not in facts.differentiable or not (write.certain or parameter.tensor):
            continue
        seen.add(write.span)
        name = parameter.name
        message = f"{write.how} changes the input `{name}` in place, and `ctx.mark_dirty` doesn't say so"
        yield finding(CODE, facts, message, write.span, name, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
