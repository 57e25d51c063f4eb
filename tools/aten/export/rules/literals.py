"""Numbers, strings, truth values, constants of mathematics, and what is not there."""

from __future__ import annotations

import ast
import json

from ...rules.literals import CONSTANTS
from ..scope import Scope
from ..types import BOOL, INT, NONE, NUMBER, STRING
from ..values import Expr
from .rule import Rule, Write

_CONSTANTS = {python: name for name, python in CONSTANTS.items()}


def constant(node: ast.Constant, scope: Scope, write: Write) -> Expr | None:
    """`True` is `true`, None is an undefined tensor; numbers and strings are the same."""
    value = node.value
    if value is None:
        return Expr("Tensor()", NONE)
    if isinstance(value, bool):
        return Expr("true" if value else "false", BOOL)
    if isinstance(value, int | float):
        return Expr(repr(value), INT if isinstance(value, int) else NUMBER)
    return Expr(json.dumps(value), STRING) if isinstance(value, str) else None


def of_mathematics(node: ast.expr, scope: Scope, write: Write) -> Expr | None:
    """`math.pi` is M_PI, `math.log(2)` is M_LN2."""
    text = _CONSTANTS.get(ast.unparse(node))
    return None if text is None else Expr(text, NUMBER)


RULES: dict[str, tuple[Rule, ...]] = {
    "Constant": (constant,),
    "Attribute": (of_mathematics,),
    "Call": (of_mathematics,),
}
