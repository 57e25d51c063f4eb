"""Arguments, results, and the gradients of results."""

from __future__ import annotations

import ast

from ..errors import NotExported
from ..scope import Scope
from ..values import Expr
from .rule import Rule, Write


def identifier(node: ast.Name, scope: Scope, write: Write) -> Expr:
    """A name is what the scope says."""
    found = scope.names.get(node.id)
    if found is None:
        shown = ", ".join(sorted(scope.names))
        raise NotExported(
            f"an entry of the table has no name `{node.id}`",
            node,
            f"write it with what an entry has: {shown}",
        )
    return found


RULES: dict[str, tuple[Rule, ...]] = {"Name": (identifier,)}
