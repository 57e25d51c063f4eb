"""The shape of a rule that writes C++."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Protocol

from ..scope import Scope
from ..values import Expr


class Write(Protocol):
    """Writes an expression that stands in the place of an operand, in this scope or in one within it."""

    def __call__(self, node: ast.expr, within: Scope | None = None, /) -> Expr: ...


# Gives the C++ of a node, or None where the rule is not about it.
Rule = Callable[[Any, Scope, Write], "Expr | None"]
