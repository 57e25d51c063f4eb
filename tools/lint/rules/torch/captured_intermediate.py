"""## What it does
Finds a value that the forward of a `torch.autograd.Function` saves, that is neither an input nor an
output, that was computed from a differentiable input, and that flows into a returned gradient.

## Why is this bad?
The first derivative is right. When the backward is differentiated, the gradient that flows into the
saved value is dropped: it has no history. Second derivatives are silently wrong.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        t = a + b
        ctx.save_for_backward(b, t)
        return t * b

    @staticmethod
    def backward(ctx, grad):
        b, t = ctx.saved_tensors
        return grad * b, grad * t + grad * b
```

## Use instead
Recompute it in the backward, or return it as an output and add the term for its gradient:
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

`pullback lint --fix` does one or the other; `--diff` shows it first, and `pullback check FILE::CLASS`
says whether the derivatives are right.

## References
PyTorch issues 58509, 76185 and 104040; PyTorch's tutorial "Double backward with custom functions".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts, Saving, Use
from .torch_rule import SECOND, TorchRule, finding, lost_term, path_of

CODE = "PB101"
DETACHED = re.compile(r"(\w+)\.(?:detach\(\)|data)")  # of an input, as it is written
HINT = (
    "recompute it in the backward from the inputs, or return it as an output and add the term for its "
    "gradient, or refuse second derivatives with a barrier"
)


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per intermediate that flows into a returned gradient."""
    if facts.once_differentiable:
        return
    for saved in facts.saved:
        if saved.saving is Saving.INTERMEDIATE and saved.use is Use.VALUE:
            what = "an output marked non-differentiable" if saved.marked else "an intermediate"
            hint, detached = HINT, DETACHED.fullmatch(saved.name)
            if detached is not None and detached[1] in saved.inputs:
                what = f"the input `{detached[1]}` without its history"
                hint = f"save `{detached[1]}` itself"
            message = (
                f"`{saved.name}` is {what}: {path_of(saved)}; when the backward is differentiated, "
                f"{lost_term(saved)}, and {SECOND}"
            )
            yield finding(CODE, facts, message, saved.saved, saved.name, hint, "error")


RULE = TorchRule(CODE, __doc__, check_class=check, grade="error")
