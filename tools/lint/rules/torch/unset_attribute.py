"""## What it does
Finds an attribute of `ctx` that a backward reads, and that neither the forward nor the backward sets.

## Why is this bad?
The backward raises an `AttributeError` when it runs, long after the forward.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, factor):
        return a * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None
```

## Use instead
Set it in the forward:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, factor: float):
        ctx.factor = factor
        return a * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None
```

## References
PyTorch: "Extending torch.autograd".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.context import READS_SAVED
from ...analyses.facts import ClassFacts
from ...frontend.classes import Method
from .torch_rule import TorchRule, finding

CODE = "PB309"
HINT = "set it in the forward, or in `setup_context`"

# PyTorch's own context has these, and names that begin with an underscore.
OWN = frozenset({"needs_input_grad", "materialize_grads", "next_functions", "metadata", "name", "to_save"})
OWN |= frozenset({"saved_for_forward", "dirty_tensors", "non_differentiable", "register_hook", "apply"})
OWN |= frozenset({"register_prehook", "maybe_clear_saved_tensors", "is_traceable", *READS_SAVED})


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per attribute."""
    unset = {name: span for name, span in facts.backward.unset.items() if not _is_own(name)}
    if not unset or any(_hands_on(method) for method in _setters(facts)):
        return
    texts = {
        node.value
        for owner in facts.cls.order
        for node in ast.walk(owner.node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    stored = {
        node.attr
        for owner in facts.cls.order
        for tree in (owner.node, owner.module.tree)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        if tree is owner.node or ast.unparse(node.value) != "self"
    }
    for name, span in unset.items():
        if name not in texts | stored:  # `hasattr` may ask for it, a branch set it, or others by `grad_fn`
            message = f"`ctx.{name}` is read and never set"
            yield finding(CODE, facts, message, span, name, HINT)


def _is_own(name: str) -> bool:
    return name in OWN or name.startswith("_")


def _setters(facts: ClassFacts) -> list[Method]:
    """The methods that may set attributes of the context."""
    return [facts.forward.method, facts.forward.saver, facts.backward.method]


def _hands_on(method: Method) -> bool:
    """True if other functions get the context, or it is known by another name: they may set anything."""
    if not method.parameters:
        return True
    context = method.parameters[0].arg
    through = {id(n.value) for n in ast.walk(method.node) if isinstance(n, ast.Attribute)}
    return any(
        isinstance(n, ast.Name) and n.id == context and id(n) not in through for n in ast.walk(method.node)
    )


RULE = TorchRule(CODE, __doc__, check_class=check)
