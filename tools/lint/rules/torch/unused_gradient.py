"""## What it does
Finds an incoming gradient that a backward never uses, though its output depends on differentiable inputs.

## Why is this bad?
Whoever differentiates by that output gets a gradient that lacks a term: no error says so.

## Example
```python
import torch


class ExponentialAndSine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.exp(), a.sin()

    @staticmethod
    def backward(ctx, grad, grad_sine):
        (a,) = ctx.saved_tensors
        return grad * a.exp()
```

## Use instead
Use the gradient of each output, or say with `ctx.mark_non_differentiable` that an output has none:
```python
import torch


class ExponentialAndSine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.exp(), a.sin()

    @staticmethod
    def backward(ctx, grad, grad_sine):
        (a,) = ctx.saved_tensors
        return grad * a.exp() + grad_sine * a.cos()
```

## References
PyTorch: `FunctionCtx.mark_non_differentiable`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses import containers
from ...analyses.facts import ClassFacts
from ...analyses.torch_names import METADATA
from ...analyses.values import Form, Kind, Value, facts_of
from .torch_rule import TorchRule, finding

CODE = "PB207"
HINT = "add its term to the returned gradients, or mark the output as not differentiable"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per incoming gradient; of a single one, PB202 speaks."""
    several = len(facts.backward.gradients) > 1
    zeros = all(facts_of(value).form is Form.ZERO for _, value, _ in facts.gradients)
    if not several or zeros or not facts.differentiable or facts.surrogate:
        return
    method = facts.backward.method
    variadic = method.node.args.vararg
    used = _read(method.node)
    for position, token in enumerate(facts.backward.gradients):
        named = variadic is None or token.name != variadic.arg
        if named and token.name not in used and _depends(facts, position):
            argument = next(a for a in method.parameters if a.arg == token.name)
            message = f"the gradient `{token.name}` of a differentiable output is never used"
            yield finding(CODE, facts, message, method.owner.module.span(argument), token.name, HINT)


def _read(node: ast.FunctionDef) -> set[str]:
    """Names that are read, but for their sizes, types and devices."""
    asked = {
        id(n.value)
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute) and n.attr in METADATA - {"grad_fn"}
    }
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return {n.id for n in names if id(n) not in asked}


def _depends(facts: ClassFacts, position: int) -> bool:
    """True if the output at a position depends on an input with a gradient, wherever the forward ends."""
    outputs = [_output(end.value, position) for end in facts.forward.ends]
    return bool(outputs) and all(_is_differentiable(facts, value) for value in outputs)


def _output(value: Value, position: int) -> Value:
    found: list[Value] = []
    for thing in value:
        if thing.parts is None:
            found.append((thing,) if position == 0 else ())
        elif any(item.starred for item in thing.parts):
            return ()
        else:
            found.append(containers.item_at(thing, position) if position < len(thing.parts) else ())
    return tuple(thing for one in found for thing in one)


def _is_differentiable(facts: ClassFacts, value: Value) -> bool:
    if not value or any(thing in facts.forward.context.marked or thing.array for thing in value):
        return False
    known = facts_of(value)
    sources = {token.name for token in known.flows if token.sort == "input"}
    return known.kind is Kind.DIFFERENTIABLE and bool(sources & facts.differentiable)


RULE = TorchRule(CODE, __doc__, check_class=check)
