"""Derivatives that are refused."""

from __future__ import annotations

import ast

from ..scope import Scope, called
from ..types import TENSOR, TENSORS
from ..values import Expr
from .rule import Rule, Write


def refused(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`not_implemented("igamma: input", grad)` is `not_implemented("igamma: input")`."""
    if called(node) != "not_implemented" or not node.args:
        return None
    return Expr(f"not_implemented({write(node.args[0]).text})", TENSOR)


def refused_list(node: ast.ListComp, scope: Scope, write: Write) -> Expr | None:
    """`[not_implemented("what", grad) for _ in tensors]` is `not_implemented_list("what")`."""
    if called(node.elt) != "not_implemented":
        return None
    assert isinstance(node.elt, ast.Call)
    return Expr(f"not_implemented_list({write(node.elt.args[0]).text})", TENSORS)


RULES: dict[str, tuple[Rule, ...]] = {"Call": (refused,), "ListComp": (refused_list,)}
