"""## What it does
Finds an input tensor that is stored as an attribute of `ctx` instead of with `save_for_backward`.

## Why is this bad?
Nothing checks its version: an in-place change between forward and backward gave 600 for 6 without an
error. It also stays alive when the graph is freed.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a: torch.Tensor):
        ctx.a = a
        return a * a

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.a * grad
```

## Use instead
Save it:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a: torch.Tensor):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a * grad
```

## References
PyTorch: `FunctionCtx.save_for_backward`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import OF_INTEGERS, ClassFacts, Saving, Use
from .torch_rule import TorchRule, finding

CODE = "PB306"
HINT = "save it with `ctx.save_for_backward`"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per input that flows into a returned gradient, and is a tensor: it says so, or has one."""
    given = facts.differentiable
    tensors = {p.name for p in facts.forward.parameters if p.tensor or (p.required and p.name in given)}
    for saved in facts.saved:
        if (
            saved.on_context
            and saved.saving is Saving.INPUT
            and saved.use is Use.VALUE
            and set(saved.inputs) & tensors
            and not saved.used_as_object
            and not OF_INTEGERS.search(saved.name)
        ):
            message = (
                f"the input `{saved.inputs[0]}` is stored {saved.place}: no version check sees it "
                "change, and the gradient is silently wrong then"
            )
            yield finding(CODE, facts, message, saved.saved, saved.name, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
