"""## What it does
Finds a forward that returns an input unchanged, not marked dirty.

## Why is this bad?
PyTorch makes a view of it behind your back, which costs and surprises where the result is changed in
place.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a

    @staticmethod
    def backward(ctx, grad):
        return -grad
```

## Use instead
Say so with `view_as`:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.view_as(a)

    @staticmethod
    def backward(ctx, grad):
        return -grad
```

## References
PyTorch: "Extending torch.autograd".
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import TorchRule, finding

CODE = "PB904"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per input and return, where something says that the input is a tensor."""
    tensors = {p.name for p in facts.forward.parameters if p.tensor} | facts.differentiable
    for end in facts.forward.ends:
        for thing in end.outputs:
            token = thing.token
            if token is None or token.sort != "input" or token.name not in tensors:
                continue
            if token in facts.forward.context.dirty:
                continue
            message = f"the forward returns its input `{token.name}` unchanged"
            yield finding(
                CODE, facts, message, end.span, token.name, f"return `{token.name}.view_as({token.name})`"
            )


RULE = TorchRule(CODE, __doc__, check_class=check)
