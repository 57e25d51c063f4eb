"""Gradients that are not there: a closure runs only where some gradient is."""

from __future__ import annotations

import ast
from typing import Any

from ..building import build, name
from ..cpp import field, text_of
from ..scope import Scope
from .calls import Call, call_of
from .rule import Read

NO_SECOND = "error_for_max_pool2d_double_backward"


def guarded(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`grad.defined() ? f(grad) : std::tuple<Tensor, Tensor>()` is `f(grad)` where there is one gradient."""
    test, first, second = (field(node, part) for part in ("condition", "consequence", "alternative"))
    if text_of(test) != "grad.defined()" or second.type != "call_expression":
        return None
    other = call_of(second)
    nothing = other.full.startswith(("std::tuple<", "std::vector<"))
    return read(first) if nothing else None


def refused(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`not_implemented("igamma: input")` is refused where there is a gradient, and it is needed."""
    if call.name not in ("not_implemented", "not_implemented_list", NO_SECOND):
        return None
    scope.helpers.add("not_implemented")
    what = ast.Constant("max_pool2d_backward") if call.name == NO_SECOND else read(call.arguments[0])
    made = ast.Call(name("not_implemented"), [what, *map(name, scope.gradients)], [])
    if call.name != "not_implemented_list":
        return made
    return build("[REFUSED for _ in VALUES]", REFUSED=made, VALUES=name(scope.inputs[0]))


CALLS = (refused,)
RULES = {"conditional_expression": (guarded,)}
