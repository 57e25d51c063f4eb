"""## What it does
Finds a value that the forward of a `torch.autograd.Function` saves, that a call computes into which
lint cannot see, and that flows into a returned gradient. Where it is an object that is no tensor, the
finding has severity info. What is called a mask, an index, a hash, a bucket, a permutation, a handle, a
seed or a count is taken for integers, through which no gradient flows; so is what has such a dtype.

## Why is this bad?
If the call computes it from a differentiable input, second derivatives are silently wrong.

## Example
```python
import torch
from elsewhere import solver


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        t = solver(a, b)
        ctx.save_for_backward(b, t)
        return t * b

    @staticmethod
    def backward(ctx, grad):
        b, t = ctx.saved_tensors
        return grad * b, grad * t + grad * b
```

## Use instead
Recompute it in the backward from inputs, or return it as an output:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return (a + b) * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * (a + b) + grad * b
```

## References
PyTorch issues 58509, 76185 and 104040; PyTorch's tutorial "Double backward with custom functions".
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic, Severity

from ...analyses.facts import ClassFacts, Saving, Use
from .torch_rule import SECOND, TorchRule, finding, lost_term, path_of

CODE = "PB103"
HINT = "recompute it in the backward, or return it as an output and add the term for its gradient"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per opaque value that flows into a returned gradient."""
    if facts.once_differentiable:
        return
    for saved in facts.saved:
        if saved.saving is Saving.OPAQUE and saved.use is Use.VALUE:
            message = (
                f"`{saved.name}` comes from a call that lint cannot see into: {path_of(saved)}; if a "
                f"gradient flows through that call, {lost_term(saved)}, and {SECOND}"
            )
            grade: Severity = "info" if saved.used_as_object else "warning"
            yield finding(CODE, facts, message, saved.saved, saved.name, HINT, grade)


RULE = TorchRule(CODE, __doc__, check_class=check, grade="warning")
