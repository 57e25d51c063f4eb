"""## What it does
Finds a backward that computes a gradient itself, by a saved tensor that is not copied first, of something
that depends on other tensors with a history too: on another saved tensor, or on the incoming gradient.

## Why is this bad?
Saved tensors have their histories in the backward. Where one of them depends on another, or the incoming
gradient depends on it, as it does in a second derivative, the inner gradient walks back through that
dependence, and the outer one counts it again: for `a * b` with `b = a * a`, 5a² comes out for 3a². One
saved tensor alone, with the incoming gradient only in `grad_outputs`, is safe.

## Example
```python
import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        with torch.enable_grad():
            inner = a * b
        return torch.autograd.grad(inner, (a, b), grad, create_graph=True)
```

## Use instead
Copy them first with `clone()`, which keeps the path:
```python
import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            a, b = (saved.clone() for saved in ctx.saved_tensors)
            inner = a * b
        return torch.autograd.grad(inner, (a, b), grad, create_graph=True)
```

## References
PyTorch: `torch.autograd.grad`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.backward import InnerAutograd
from ...analyses.facts import ClassFacts, Saved, Saving
from ...analyses.values import Token
from .torch_rule import TorchRule, finding

CODE = "PB110"
HINT = "copy the saved tensors with `clone()` before computing with them"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per inner gradient that may walk from a saved tensor to another."""
    if facts.once_differentiable:
        return
    saved = {found.token: found for found in facts.saved}
    for inner in facts.inner:
        for tokens in inner.shared:
            others = [_other(saved[token], inner, saved, facts) for token in tokens]
            if others and all(others):
                name, other = inner.written or tokens[0].name, others[0]
                message = (
                    f"`{inner.text}` inside the backward takes a gradient by `{name}`, which is saved with "
                    f"its history, of what depends on {other} too: where one depends on the other, that is "
                    "counted twice, and derivatives are silently wrong"
                )
                yield finding(CODE, facts, message, inner.span, name, HINT)
                break


def _other(one: Saved, inner: InnerAutograd, saved: dict[Token, Saved], facts: ClassFacts) -> str:
    """Other values with a history that the inner gradient may pass through; empty where there are none."""
    variadic = {parameter.name for parameter in facts.forward.parameters if parameter.variadic}
    made_here = one.saving in (Saving.OUTPUT, Saving.RECORDED)  # no input depends on it, but the gradient may
    several = inner.written and len(inner.shared) > 1
    if one.saving in WITH_HISTORY and not made_here and (several or variadic & set(one.inputs)):
        return "others of them"
    for token in (*(token for tokens in inner.shared for token in tokens), *inner.beside):
        if token.sort == "gradient":
            return f"the incoming gradient `{token.name}`"
        other = saved.get(token)
        if other is None or other is one or made_here or other.saving not in WITH_HISTORY:
            continue
        apart = set(other.inputs) & facts.differentiable - set(one.inputs)
        if apart or other.saving is Saving.OUTPUT:
            return f"`{token.name}`"
    return ""


WITH_HISTORY = (Saving.INPUT, Saving.CONDITIONAL, Saving.OUTPUT, Saving.RECORDED)


RULE = TorchRule(CODE, __doc__, check_class=check)
