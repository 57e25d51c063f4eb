"""## What it does
Finds a backward that changes a saved tensor, or state on `ctx`, in place.

## Why is this bad?
A second backward through the same graph computes with the changed one: it raises, or differs silently
where the value is an attribute of `ctx`.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.exp()

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return a.exp_() * grad
```

## Use instead
Compute a fresh one:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.exp()

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return a.exp() * grad
```

## References
PyTorch: "In-place correctness checks".
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts, Saving
from .torch_rule import TorchRule, finding

CODE = "PB304"
COMPUTED = (Saving.INTERMEDIATE, Saving.OUTPUT, Saving.CONDITIONAL)


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per place."""
    tensors = {saved.token: saved for saved in facts.saved if saved.saving is not Saving.PLAIN}
    computed = {token for token, saved in tensors.items() if saved.saving in COMPUTED}
    seen = set()
    for write in facts.backward.writes:
        known = write.owner in tensors or write.owner.position < 0
        certain = write.certain or write.owner in computed
        if write.owner.sort != "saved" or not known or not certain or write.span in seen:
            continue
        if write.owner.name in facts.backward.released:
            continue
        seen.add(write.span)
        name = write.owner.name
        message = f"{write.how} changes `{name}`, which the forward saved: a second backward differs"
        yield finding(CODE, facts, message, write.span, name, "compute a fresh value instead")


RULE = TorchRule(CODE, __doc__, check_class=check)
