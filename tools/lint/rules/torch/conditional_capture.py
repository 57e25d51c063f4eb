"""## What it does
Finds a saved value that is an input or an output on some paths and a fresh tensor on others: after
`contiguous()`, `to(...)`, `float()`, under `custom_fwd(cast_inputs=...)`, or after a branch.

## Why is this bad?
Whether second derivatives are right then depends on the data, its layout or its dtype, so that tests
with contiguous double tensors pass.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a = a.contiguous()
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a * grad
```

## Use instead
Save the input itself, and convert it again in the backward:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        a = a.contiguous()
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a.contiguous() * grad
```

## References
PyTorch issues 58509, 76185 and 104040; PyTorch's tutorial "Double backward with custom functions".
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts, Saving, Use
from .torch_rule import SECOND, TorchRule, finding, lost_term, path_of

CODE = "PB107"
HINT = "save the input or output itself, and convert it again in the backward"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per such value that flows into a returned gradient."""
    if facts.once_differentiable:
        return
    for saved in facts.saved:
        if saved.saving is Saving.CONDITIONAL and saved.use is Use.VALUE:
            message = (
                f"`{saved.name}` is an input or output on some paths and a fresh tensor on others: "
                f"{path_of(saved)}; on the others {lost_term(saved)}, and {SECOND}"
            )
            yield finding(CODE, facts, message, saved.saved, saved.name, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
