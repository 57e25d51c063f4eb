"""## What it does
Counts the gradients that a backward returns: at least one per parameter of the forward that has no
default. Trailing `None` are legal.

## Why is this bad?
PyTorch raises when the backward runs, or a gradient goes to the wrong input.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b
```

## Use instead
One gradient per input, in order:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a
```

## References
PyTorch: "Extending torch.autograd".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from ...analyses.statements import Return
from ...analyses.values import Thing
from .torch_rule import TorchRule, finding

CODE = "PB201"
HINT = "return one gradient per parameter, in order, `None` where there is none"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per return."""
    parameters = facts.forward.parameters
    required = [p for p in parameters if p.required and not p.variadic]
    total = None if any(p.variadic for p in parameters) else len(parameters)
    for end in facts.backward.returns:
        counts = {_count(thing, end) for thing in end.value}
        count = counts.pop() if len(counts) == 1 else None
        if count is None:
            continue
        extra = total is not None and count > total and not _padded(end, total)
        if count < len(required) or extra:
            names = ", ".join(p.name for p in parameters)
            message = f"the backward returns {count} gradients for the parameters {names}"
            yield finding(CODE, facts, message, end.span, str(count), HINT)


def _count(thing: Thing, end: Return) -> int | None:
    if thing.parts is not None:
        return None if any(item.starred for item in thing.parts) else len(thing.parts)
    gradient = thing.token is not None and thing.token.sort == "gradient"
    return 1 if gradient or isinstance(end.node, ast.BinOp) else None


def _padded(end: Return, total: int) -> bool:
    """True if all gradients after the last parameter are None."""
    extra = [thing for value in end.value for item in (value.parts or [])[total:] for thing in item.value]
    return all(thing.constant is None for thing in extra)


RULE = TorchRule(CODE, __doc__, check_class=check)
