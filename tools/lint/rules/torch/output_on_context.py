"""## What it does
Finds an output that is stored as an attribute of `ctx` instead of with `save_for_backward`.

## Why is this bad?
The output holds the node, and the node the output: a reference cycle, which keeps the whole graph
alive until the cycle collector runs.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.result = a.exp()
        return ctx.result

    @staticmethod
    def backward(ctx, grad):
        return ctx.result * grad
```

## Use instead
Save it:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        result = a.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return result * grad
```

## References
PyTorch: `FunctionCtx.save_for_backward`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import OF_INTEGERS, ClassFacts, Saving
from .torch_rule import TorchRule, finding

CODE = "PB307"
HINT = "save it with `ctx.save_for_backward`"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per output."""
    for saved in facts.saved:
        if saved.on_context and saved.saving is Saving.OUTPUT and not OF_INTEGERS.search(saved.name):
            message = (
                f"the output `{saved.name}` is stored on `ctx`: a reference cycle that keeps the graph alive"
            )
            yield finding(CODE, facts, message, saved.saved, saved.name, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
