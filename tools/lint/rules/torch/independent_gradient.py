"""## What it does
Finds a returned gradient that depends on no incoming gradient, whole or in an additive term.

## Why is this bad?
A derivative is linear in the incoming gradient. One that is not is right only where the operator is
the last step and its gradient is one.

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
from ...analyses.values import MISSING, Form
from .torch_rule import TorchRule, finding

CODE = "PB202"
HINT = (
    "multiply by the incoming gradient; a class whose gradient is a surrogate on purpose says so: "
    "`# pullback: surrogate`"
)


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per parameter and return."""
    if facts.surrogate:
        return
    for index, value, span in facts.gradients:
        things = [t for t in value if t.constant is not None and t.facts.form is not Form.ZERO]
        if not things or any(t.facts.form not in (Form.CONSTANT, Form.AFFINE) or t.number for t in things):
            continue
        if any(t.constant is not MISSING or t.entity is not None or t.parts is not None for t in things):
            continue
        name = facts.forward.parameters[index].name
        how = "has a term that depends" if any(t.facts.form is Form.AFFINE for t in things) else "depends"
        message = f"the gradient for `{name}` {how} on no incoming gradient: no derivative does"
        yield finding(CODE, facts, message, span, name, HINT)


RULE = TorchRule(CODE, __doc__, check_class=check)
