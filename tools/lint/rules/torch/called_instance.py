"""## What it does
Finds a `torch.autograd.Function` in the style of PyTorch's first versions: an object of the class is called,
or `forward` is a method of an object with options.

## Why is this bad?
PyTorch refuses the call: "Legacy autograd function with non-static forward method is deprecated". Under
`apply`, a method that is not static runs, but what `__init__` keeps on the object is not there.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, a):
        return a * self.factor

    def backward(self, grad):
        return grad * self.factor


def scaled(a):
    return Scaled(2.0)(a)
```

## Use instead
Static methods, with the options as arguments:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, factor):
        ctx.factor = factor
        return a * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def scaled(a):
    return Scaled.apply(a, 2.0)
```

## References
PyTorch: "Extending torch.autograd"; `torch/autograd/function.py`, `Function.__call__`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from ...frontend.classes import Method
from .torch_rule import TorchRule, finding

CODE = "PB209"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per class: at its forward, or where an object of it is called."""
    module, name = facts.cls.own.module, facts.name
    forward = facts.forward.method
    calls = _calls(facts)
    hint = (
        f"write `@staticmethod` before `forward(ctx, ...)` and `backward(ctx, ...)`, and call `{name}.apply`"
    )
    if forward.owner is facts.cls.own and _of_object(forward) and (calls or _has_options(facts)):
        message = "`forward` is a method of an object, and PyTorch refuses to call objects of the class"
        if options := _options(facts):
            hint += f", and give it what `__init__` keeps: {options}"
        yield finding(CODE, facts, message, module.span(forward.node), "forward", hint)
        return
    for call in calls:
        if isinstance(call.func, ast.Call):
            message = f"an object of `{name}` is called, which PyTorch refuses"
            yield finding(CODE, facts, message, module.span(call), name, f"call `{name}.apply`")


def _calls(facts: ClassFacts) -> list[ast.Call]:
    """The calls of the class in its file, ``Scaled(2)``, and those of what these give, ``Scaled(2)(x)``."""
    module, name = facts.cls.own.module, facts.name
    if not re.search(rf"(?<!class ){re.escape(name)}\(", module.source.text):
        return []
    known = module.names.get(name)
    if known is not None and getattr(known, "node", None) is not facts.cls.own.node:
        return []
    nodes = list(ast.walk(module.tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    applied = [node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr == "apply"]
    own = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]
    return [*(call for call in calls if call.func in own), *(call for call in own if call not in applied)]


def _of_object(method: Method) -> bool:
    return not {"staticmethod", "classmethod"} & {*method.decorators}


def _has_options(facts: ClassFacts) -> bool:
    made = facts.cls.own.methods.get("__init__")
    return made is not None and bool(made.args.args[1:] or made.args.vararg or made.args.kwonlyargs)


def _options(facts: ClassFacts) -> str:
    """The parameters of ``__init__``, to show."""
    made = facts.cls.own.methods.get("__init__")
    names = [f"`{argument.arg}`" for argument in made.args.args[1:]] if made is not None else []
    return ", ".join(names)


RULE = TorchRule(CODE, __doc__, check_class=check)
