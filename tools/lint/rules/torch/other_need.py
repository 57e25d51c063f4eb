"""## What it does
Finds a gradient that a backward computes only where `ctx.needs_input_grad` asks for that of another input.

## Why is this bad?
Where only this input needs a gradient, it gets `None`: PyTorch takes that for zero, without an error.

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
        first = second = None
        if ctx.needs_input_grad[0]:
            first = grad * b
            second = grad * a
        return first, second
```

## Use instead
Ask for each:
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
        first = second = None
        if ctx.needs_input_grad[0]:
            first = grad * b
        if ctx.needs_input_grad[1]:
            second = grad * a
        return first, second
```

## References
PyTorch: `FunctionCtx.needs_input_grad`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from .torch_rule import TorchRule, finding

CODE = "PB208"
Needs = tuple[frozenset[int], ...]  # of each set, one input at least needs a gradient


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per gradient."""
    method = facts.backward.method
    needs: dict[str, list[Needs]] = {}
    _assigned(method.node.body, method.parameters[0].arg, (), needs)
    if not any(one for ways in needs.values() for one in ways):
        return
    inputs = {p.index: p.name for p in facts.forward.parameters if p.name in facts.differentiable}
    seen = set()
    for node in ast.walk(method.node):
        returned = (
            node.value.elts if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) else ()
        )
        for index, element in enumerate(returned):
            if isinstance(element, ast.Starred):
                break
            if not isinstance(element, ast.Name) or index not in inputs or element.id in seen:
                continue
            others = [next((n for n in one if index not in n), None) for one in needs.get(element.id, ())]
            if others and all(others):
                seen.add(element.id)
                other = min(others[0] or ())
                message = (
                    f"the gradient `{element.id}` of `{inputs[index]}` is computed only where "
                    f"`ctx.needs_input_grad[{other}]` holds: where the other input needs none, it is None"
                )
                hint = f"ask for `ctx.needs_input_grad[{index}]`"
                yield finding(CODE, facts, message, method.owner.module.span(element), element.id, hint)


def _assigned(body: list[ast.stmt], context: str, under: Needs, found: dict[str, list[Needs]]) -> None:
    """For each name, the needs under which each of its assignments runs; one of None counts as none."""
    for statement in body:
        match statement:
            case ast.If(test=test, body=then, orelse=orelse):
                _assigned(then, context, (*under, *_needs(test, context)), found)
                _assigned(orelse, context, under, found)
                continue
            case ast.Assign(targets=targets, value=value) if not _is_none(value):
                names = [n for target in targets for n in ast.walk(target)]
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target) | ast.For(target=target):
                names = list(ast.walk(target))
            case _:
                names = []
        for name in names:
            if isinstance(name, ast.Name):
                found.setdefault(name.id, []).append(under)
        for part in ("body", "orelse", "finalbody"):
            _assigned(getattr(statement, part, None) or [], context, under, found)
        for handler in getattr(statement, "handlers", ()):
            _assigned(handler.body, context, under, found)


def _is_none(value: ast.expr) -> bool:
    values = value.elts if isinstance(value, ast.Tuple) else [value]
    return all(isinstance(one, ast.Constant) and one.value is None for one in values)


def _needs(test: ast.expr, context: str) -> Needs:
    """The needs that a test asks for: one, one of several, or several at once; none where it may ask more."""
    match test:
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=owner), attr="needs_input_grad"),
            slice=ast.Constant(value=int(index)),
        ) if owner == context and index >= 0:
            return (frozenset({index}),)
        case ast.BoolOp(op=ast.And(), values=values):
            return tuple(need for value in values for need in _needs(value, context))
        case ast.BoolOp(op=ast.Or(), values=values):
            each = [_needs(value, context) for value in values]
            if all(len(one) == 1 for one in each):
                return (frozenset().union(*(one[0] for one in each)),)
    return ()


RULE = TorchRule(CODE, __doc__, check_class=check)
