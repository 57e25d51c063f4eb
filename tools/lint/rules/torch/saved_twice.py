"""## What it does
Finds a second `save_for_backward` on one path.

## Why is this bad?
The last call wins: what the first one saved is gone.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a)
        ctx.save_for_backward(b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a
```

## Use instead
One call with everything:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a
```

## References
PyTorch: `FunctionCtx.save_for_backward`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import TorchRule, finding

CODE = "PB308"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per second call."""
    for second, first in dict.fromkeys(facts.forward.context.twice):
        message = f"a second `save_for_backward`: it replaces what line {first.line} saved"
        yield finding(CODE, facts, message, second, "save_for_backward", "save everything in one call")


RULE = TorchRule(CODE, __doc__, check_class=check)
