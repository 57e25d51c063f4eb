"""## What it does
Finds what a forward keeps for its backward in a name of the module, an attribute of the class, or one of
an object that it is given, instead of on `ctx`.

## Why is this bad?
There is one such name for all calls: a second call before the backward replaces what the first one kept,
and the gradient of the first is silently that of the second. In a dictionary or list that depends on the
key and on the order of the calls, and on an object, on whether two calls are given the same: these are
warnings. What is kept there outlives the graph. Checkpoints, data parallel copies and a second backward
call in other orders than a plain loop does.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    factor = None

    @staticmethod
    def forward(ctx, a, factor):
        Scaled.factor = factor
        return a * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * Scaled.factor, None
```

## Use instead
Keep it on `ctx`, of which each call has its own:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, factor):
        ctx.factor = factor
        return a * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None
```

## References
PyTorch: `FunctionCtx.save_for_backward`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import TorchRule, finding

CODE = "PB310"
HINT = "keep it on `ctx`: inputs and outputs by `ctx.save_for_backward`, the rest as attributes"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per place."""
    for name, kept, span in facts.outside:
        if kept == "object":
            owner = name.partition(".")[0]
            message = (
                f"`{name}` holds what the backward needs of one call: another call with the same `{owner}` "
                "before the backward replaces it, and the gradient is silently wrong then"
            )
            yield finding(CODE, facts, message, span, name, HINT, "warning")
        elif kept == "value":
            message = (
                f"`{name}` holds what the backward needs of one call: another call before the backward "
                "replaces it, and the gradient is silently wrong then"
            )
            yield finding(CODE, facts, message, span, name, HINT)
        else:
            message = (
                f"`{name}` keeps what the backward needs of one call among that of others: the gradient is "
                "right only while no two calls use one place of it, and nothing there is freed with the graph"
            )
            yield finding(CODE, facts, message, span, name, HINT, "warning")


RULE = TorchRule(CODE, __doc__, check_class=check)
