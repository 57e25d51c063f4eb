"""A Python expression as C++ of the table."""

from __future__ import annotations

import ast

from .errors import NotExported
from .rules import RULES
from .scope import Scope
from .values import Expr


def written(node: ast.expr, scope: Scope) -> Expr:
    """The C++ of an expression, with its type. Raises NotExported where no rule is about a part of it.

    >>> scope = Scope({"grad": Expr("grad", "Tensor"), "self": Expr("self", "Tensor")}, {})
    >>> written(ast.parse("-grad * self", mode="eval").body, scope).text
    '-grad * self'
    """

    def write(inner: ast.expr, within: Scope | None = None, /) -> Expr:
        return written(inner, within or scope)

    found = (rule(node, scope, write) for rule in RULES.get(type(node).__name__, ()))
    made = next((expression for expression in found if expression is not None), None)
    if made is None:
        raise NotExported(
            f"the table has no C++ for `{ast.unparse(node)}`",
            node,
            "write it with functions of ATen (aten.NAME) or of FunctionsManual.cpp",
        )
    return made
