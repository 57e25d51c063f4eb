"""The backward that runs: which gradients are needed of it, whether it is recorded itself."""

from __future__ import annotations

import ast
from typing import Any

from ..building import build, name
from ..cpp import text_of
from ..scope import Scope
from .calls import Call
from .rule import Read


def recorded(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`GradMode::is_enabled()` is `records_gradients()`."""
    if call.full != "GradMode::is_enabled":
        return None
    scope.helpers.add("records_gradients")
    return build("records_gradients()")


def needed(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`grad_input_mask` is `needs_gradient(self, other)`, of the inputs that the formula is for."""
    if text_of(node) != "grad_input_mask":
        return None
    scope.helpers.add("needs_gradient")
    return ast.Call(name("needs_gradient"), [name(given) for given in scope.inputs], [])


def requires(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`bias.requires_grad()` is `needs_gradient(bias)[0]`."""
    if call.receiver is None or call.name != "requires_grad":
        return None
    scope.helpers.add("needs_gradient")
    return build("needs_gradient(VALUE)[0]", VALUE=read(call.receiver))


def retained(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`retain_variables` is `retains_graph()`."""
    if text_of(node) != "retain_variables":
        return None
    scope.helpers.add("retains_graph")
    return build("retains_graph()")


def saved_if(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`wrap_opt_if(x, test)` is `x if test else None`: it need not be saved otherwise."""
    if call.name != "wrap_opt_if":
        return None
    held, test = map(read, call.arguments)
    return build("VALUE if TEST else None", VALUE=held, TEST=test)


RULES = {"identifier": (needed, retained)}
CALLS = (recorded, requires, saved_if)
