"""Functions and methods of ATen, functions of FunctionsManual.cpp, and functions of numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..building import build, name
from ..cpp import text_of
from ..scope import Scope
from .calls import Call
from .literals import CONSTANTS
from .rule import Read

# Methods that are no functions of ATen, or were none in older versions.
METHODS = {
    "mT": "aten.mT(VALUE)",
    "mH": "aten.mH(VALUE)",
    "is_contiguous": "aten.is_contiguous(VALUE)",
}
OF_NUMBERS = frozenset({"sqrt", "log", "exp"})


def of_number(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`sqrt(M_PI)` and `std::sqrt(2 * M_PI)` are `math.sqrt`."""
    if call.receiver is not None or call.name not in OF_NUMBERS or not _is_number(call.arguments[0]):
        return None
    scope.modules.add("math")
    return build(f"math.{call.name}(VALUE)", VALUE=read(call.arguments[0]))


def _is_number(node: Any) -> bool:
    if node.type == "identifier":
        return text_of(node) in CONSTANTS
    if node.type == "number_literal":
        return True
    return node.type == "binary_expression" and all(map(_is_number, node.named_children))


def method(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`x.mT()` is `aten.mT(x)`."""
    if call.receiver is None or call.arguments or call.name not in METHODS:
        return None
    return build(METHODS[call.name], VALUE=read(call.receiver))


def native(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`x.sum(dim)`, `at::sum(x, dim)` are `aten.sum(x, dim)`; C++ has no keywords, and ATen asks for some.

    The object of a method is the argument `self`: `x.where(c, y)` is `aten.where(c, x, y)`.
    """
    overloads = scope.functions.get(call.name)
    if overloads is None:
        return None
    nodes, labels = list(call.arguments), list(call.labels)
    if call.receiver is not None:
        place = _place_of_self(overloads, len(nodes) + 1)
        nodes.insert(place, call.receiver)
        labels.insert(place, None)
    made = ast.Call(ast.Attribute(name("aten"), call.name, ast.Load()), [], [])
    return _with_arguments(made, nodes, keywords_of(overloads, labels), scope, read)


def _place_of_self(overloads: Sequence[Any], count: int) -> int:
    for function in overloads:
        names = [argument.name for argument in function.func.arguments.flat_positional]
        if len(names) >= count and "self" in names:
            return names.index("self")
    return 0


def helper(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """A function that ATen does not have is one of FunctionsManual.cpp; `sum_to` is ATen's own."""
    name_of = call.full.removeprefix("at::")
    if call.receiver is not None or "::" in name_of or "<" in name_of:
        return None
    scope.helpers.add(call.name)
    behind = [label is None for label in call.labels]
    labels = [label if not any(behind[k:]) else None for k, label in enumerate(call.labels)]
    return _with_arguments(ast.Call(name(call.name), [], []), call.arguments, labels, scope, read)


def _with_arguments(
    made: ast.Call, nodes: Sequence[Any], keywords: Sequence[str | None], scope: Scope, read: Read
) -> ast.Call:
    for node, keyword in zip(nodes, keywords, strict=True):
        text = text_of(node)
        if text in scope.duals:
            made.args += [name(f"{text}_p"), name(f"{text}_t")]
        elif keyword is None:
            made.args.append(read(node))
        else:
            made.keywords.append(ast.keyword(keyword, read(node)))
    return made


def keywords_of(overloads: Sequence[Any], labels: Sequence[str | None]) -> list[str | None]:
    """Per argument of a call in C++ its name, where the schema takes it by name or a comment names it."""
    count = len(labels)
    for function in sorted(
        overloads, key=lambda function: len(function.func.arguments.flat_positional) < count
    ):
        positional = [argument.name for argument in function.func.arguments.flat_positional]
        named = [argument.name for argument in function.func.arguments.flat_kwarg_only]
        if function.func.is_out_fn() or count > len(positional) + len(named):
            continue
        first = next((k for k, label in enumerate(labels) if label is not None), count)
        first = min(first, len(positional))
        return [*(None for _ in range(first)), *[*positional, *named][first:count]]
    return [None] * count


CALLS = (of_number, method, native, helper)
