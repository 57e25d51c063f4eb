"""Values that may not be there: std::optional, and tensors that are undefined, are None."""

from __future__ import annotations

import ast
from typing import Any

from ..building import build
from ..cpp import field, text_of
from ..scope import Scope
from .calls import Call, call_of
from .rule import Read


def present(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`x.defined()` and `x.has_value()` are `x is not None`."""
    if call.receiver is None or call.name not in ("defined", "has_value"):
        return None
    return build("VALUE is not None", VALUE=read(call.receiver))


def value(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`x.value()` is `x`; `x.value_or(y)` is `y if x is None else x`."""
    if call.receiver is None or call.name not in ("value", "value_or"):
        return None
    held = read(call.receiver)
    if call.name == "value":
        return held
    return build("OTHER if VALUE is None else VALUE", VALUE=held, OTHER=read(call.arguments[0]))


def made(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`std::optional<Tensor>(x)` is `x`, where the test around it is that `x` is there."""
    wrapped = call.full.startswith(("std::optional<", "at::OptionalArrayRef<"))
    return read(call.arguments[0]) if wrapped and len(call.arguments) == 1 else None


def absent(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`!x` of an optional value is `x is None`."""
    operand = field(node, "argument")
    optional = (scope.type_of(text_of(operand)) or "").endswith("?")
    if text_of(field(node, "operator")) != "!" or operand.type != "identifier" or not optional:
        return None
    return build("VALUE is None", VALUE=read(operand))


def held(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`*x` is `x`."""
    return read(field(node, "argument")) if text_of(node).startswith("*") else None


def defined_or_not(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`x.defined() ? std::optional<Tensor>(x) : nullopt` is `x`: both say that it may not be there."""
    test, first, second = (field(node, part) for part in ("condition", "consequence", "alternative"))
    if (
        test.type != "call_expression"
        or call_of(test).name != "defined"
        or not text_of(second).endswith("nullopt")
    ):
        return None
    wrapped = call_of(first) if first.type == "call_expression" else None
    if wrapped is None or not wrapped.full.startswith("std::optional<"):
        return None
    same = text_of(wrapped.arguments[0]) == text_of(call_of(test).receiver)
    return read(wrapped.arguments[0]) if same else None


RULES = {
    "unary_expression": (absent,),
    "pointer_expression": (held,),
    "conditional_expression": (defined_or_not,),
}
CALLS = (present, value, made)
