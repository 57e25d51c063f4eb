"""## What it does
Finds a backward that changes an incoming gradient, or an alias or view of one, in place.

## Why is this bad?
The same tensor is handed to sibling branches of the graph: they receive the changed one.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.relu()

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        grad[a < 0] = 0
        return grad
```

## Use instead
Change a copy:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.relu()

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        grad = grad.clone()
        grad[a < 0] = 0
        return grad
```

## References
PyTorch: "Extending torch.autograd".
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import TorchRule, finding

CODE = "PB302"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per place."""
    seen = set()
    for write in facts.backward.writes:
        if write.owner.sort == "gradient" and write.span not in seen:
            seen.add(write.span)
            name = write.owner.name
            message = (
                f"{write.how} changes the incoming gradient `{name}` in place: other branches of the graph "
                "receive the changed one"
            )
            yield finding(CODE, facts, message, write.span, name, f"change a copy: `{name}.clone()`")


RULE = TorchRule(CODE, __doc__, check_class=check)
