"""Lists, tuples and their elements."""

from __future__ import annotations

import ast
from typing import Any

from ..building import build
from ..cpp import field, text_of
from ..errors import NotImported
from ..scope import Scope
from .calls import Call
from .rule import Read


def written(node: Any, scope: Scope, read: Read) -> ast.expr:
    """`{a, b}` is `(a, b)`."""
    return ast.Tuple([read(child) for child in node.named_children], ast.Load())


def element(node: Any, scope: Scope, read: Read) -> ast.expr:
    """`x[i]` is spelled the same."""
    (index,) = field(node, "indices").named_children
    return ast.Subscript(read(field(node, "argument")), read(index), ast.Load())


def array(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`IntArrayRef({})` is `()`, and `std::vector<c10::SymInt>(n, 0)` is `(0,) * n`."""
    if call.full == "IntArrayRef":
        return read(call.arguments[0])
    if not call.full.startswith("std::vector<"):
        return None
    count = read(call.arguments[0])
    if len(call.arguments) == 1:
        return build("[None] * COUNT", COUNT=count)
    return build("(VALUE,) * COUNT", VALUE=read(call.arguments[1]), COUNT=count)


def one_of(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`std::get<0>(x)` is `x[0]`."""
    if not call.full.startswith("std::get<"):
        return None
    index = int(call.full.removeprefix("std::get<").removesuffix(">"))
    return build("VALUE[INDEX]", VALUE=read(call.arguments[0]), INDEX=ast.Constant(index))


def reversed_list(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`reverse_list(x)` is `x[::-1]`."""
    return build("VALUE[::-1]", VALUE=read(call.arguments[0])) if call.name == "reverse_list" else None


def mapped(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`fmap(x, [](c10::SymInt i) { return -i; })` is `[-i for i in x]`."""
    if call.name != "fmap":
        return None
    function = call.arguments[1]
    parameter = field(field(function, "declarator"), "parameters").named_children[0]
    (statement,) = field(function, "body").named_children
    if statement.type != "return_statement":
        raise NotImported(f"no rule for `{text_of(function)}`")
    variable = text_of(field(parameter, "declarator"))
    pattern = f"[BODY for {variable} in VALUE]"
    return build(pattern, BODY=read(statement.named_children[0]), VALUE=read(call.arguments[0]))


RULES = {"initializer_list": (written,), "subscript_expression": (element,)}
CALLS = (array, one_of, reversed_list, mapped)
