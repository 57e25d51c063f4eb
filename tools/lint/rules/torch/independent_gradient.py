"""## What it does
Finds a returned gradient that depends on no incoming gradient, whole or in an additive term.

## Why is this bad?
A derivative is linear in the incoming gradient. One that is not is right only where the operator is
the last step and its gradient is one. Where no output depends on the input, the gradient adds a loss on
the way back: a warning says so.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a
```

## Use instead
Multiply by the incoming gradient. Where the gradient is not the forward's derivative on purpose, a comment
`# pullback: surrogate` in the class says so:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a * grad
```

## References
PyTorch: "Extending torch.autograd".
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from ...analyses.values import Form, facts_of, leaves
from .torch_rule import TorchRule, finding

CODE = "PB202"
HINT = (
    "multiply by the incoming gradient; a class whose gradient is a surrogate on purpose says so: "
    "`# pullback: surrogate`"
)


INJECTED = (
    "where it is added on purpose, say so with `# pullback: surrogate`; its weight then is not that of the "
    "outer loss: a loss that is scaled, or divided by accumulation steps, needs the same factor here"
)


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per parameter and return."""
    if facts.surrogate:
        return
    for index, things, span in facts.independent:
        if any(t.store.given for t in things):  # a call may have written an incoming gradient into it
            continue
        name = facts.forward.parameters[index].name
        if _injects(facts, index):
            message = (
                f"the gradient for `{name}` depends on no incoming gradient, and no output depends on "
                f"`{name}`: a loss that is added on the way back"
            )
            yield finding(CODE, facts, message, span, name, INJECTED, "warning")
            continue
        affine = any(t.facts.form is Form.AFFINE for t in things)
        if affine and _adds(facts, index):
            message = (
                f"the gradient for `{name}`, which is returned as it is, has a term that depends on no "
                "incoming gradient: a loss that is added on the way back"
            )
            yield finding(CODE, facts, message, span, name, INJECTED, "warning")
            continue
        how = "has a term that depends" if affine else "depends"
        message = f"the gradient for `{name}` {how} on no incoming gradient: no derivative does"
        if any(t.facts.form is Form.COMPARED for t in things):
            message = (
                f"the gradient for `{name}` depends on the incoming gradient only by comparisons: no "
                "derivative does"
            )
        yield finding(CODE, facts, message, span, name, HINT)


def _adds(facts: ClassFacts, index: int) -> bool:
    """True if every output is this input or a view of it, so that its gradient is the incoming one."""
    token = facts.forward.parameters[index].token
    outputs = [thing for end in facts.forward.ends for thing in leaves(end.value) if thing.parts is None]
    return bool(outputs) and all(thing.store.owner == token for thing in outputs)


def _injects(facts: ClassFacts, index: int) -> bool:
    """True if the outputs depend on inputs, and not on this one."""
    token = facts.forward.parameters[index].token
    flows = [facts_of(end.value).flows for end in facts.forward.ends]
    return all(found and token not in found for found in flows)


RULE = TorchRule(CODE, __doc__, check_class=check)
