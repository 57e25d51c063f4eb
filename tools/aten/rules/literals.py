"""Numbers, strings, truth values, constants of mathematics, and what is not there."""

from __future__ import annotations

import ast
from typing import Any

from ..building import build
from ..cpp import text_of
from ..scope import Scope
from .calls import Call
from .rule import Read

CONSTANTS = {"M_PI": "math.pi", "M_LN2": "math.log(2)"}
NULL = ("nullopt", "::std::nullopt", "std::nullopt")


def number(node: Any, scope: Scope, read: Read) -> ast.expr:
    """`2.` is `2.0`."""
    return ast.Constant(ast.literal_eval(text_of(node)))


def string(node: Any, scope: Scope, read: Read) -> ast.expr:
    """A string is the same string."""
    return ast.Constant(ast.literal_eval(text_of(node)))


def truth(node: Any, scope: Scope, read: Read) -> ast.expr:
    """`true` is `True`."""
    return ast.Constant(text_of(node) == "true")


def constant(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`M_PI` is `math.pi`, `::std::nullopt` is None."""
    text = text_of(node)
    if text in NULL:
        return ast.Constant(None)
    if text not in CONSTANTS:
        return None
    scope.modules.add("math")
    return build(CONSTANTS[text])


def undefined(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`Tensor()` and `at::Tensor()` are undefined, which is None; an empty tuple holds as many."""
    if call.arguments or call.receiver is not None:
        return None
    if call.full in ("Tensor", "at::Tensor"):
        return ast.Constant(None)
    if call.full.startswith("std::tuple<"):
        count = call.full.count("Tensor")
        return ast.Tuple([ast.Constant(None) for _ in range(count)], ast.Load())
    return None


RULES = {
    "number_literal": (number,),
    "string_literal": (string,),
    "true": (truth,),
    "false": (truth,),
    "identifier": (constant,),
    "qualified_identifier": (constant,),
}
CALLS = (undefined,)
