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
from pullback.transpile.ir import Span

from ...analyses.facts import ClassFacts, Saving
from .torch_rule import TorchRule, finding

CODE = "PB304"
HINT = "compute a fresh value instead"
COMPUTED = (Saving.INTERMEDIATE, Saving.OUTPUT, Saving.CONDITIONAL)


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per place."""
    tensors = {saved.token: saved for saved in facts.saved if saved.saving is not Saving.PLAIN}
    computed = {token for token, saved in tensors.items() if saved.saving in COMPUTED}
    seen: set[Span] = set()
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
        yield finding(CODE, facts, message, write.span, name, HINT)
    yield from _by_calls(facts, seen)


def _by_calls(facts: ClassFacts, seen: set[Span]) -> Iterator[Diagnostic]:
    """Calls that must write an incoming gradient into a saved value, for it is returned as a gradient."""
    if facts.surrogate:
        return
    for _, things, _ in facts.independent:
        for thing in things:
            owner, given = thing.store.owner, thing.store.given
            if owner is None or owner.sort != "saved" or given is None or given.span in seen:
                continue
            if owner.name not in facts.backward.released:
                seen.add(given.span)
                message = (
                    f"`{given.name}` changes `{owner.name}`, which the forward saved, in place (or the "
                    "gradient depends on no incoming one): a second backward differs"
                )
                yield finding(CODE, facts, message, given.span, owner.name, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
