"""Statements that return, raise, or leave the iteration of a loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .text import statements_in


def always_raises(body: Sequence[ast.stmt]) -> bool:
    """True where statements raise before they can return or fall through."""
    for node in body:
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.If) and always_raises(node.body) and always_raises(node.orelse):
            return True
        if may_leave([node]):
            return False
    return False


def may_leave(body: Sequence[ast.stmt]) -> bool:
    """True where statements may return, or leave the iteration of the loop that they stand in."""
    for node in body:
        if isinstance(node, ast.Break | ast.Continue):
            return True
        if isinstance(node, ast.If) and (may_leave(node.body) or may_leave(node.orelse)):
            return True
    return may_return(body)


def may_end(body: Sequence[ast.stmt]) -> bool:
    """True where statements may return, or end the loop that they stand in."""
    for node in body:
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, ast.If) and (may_end(node.body) or may_end(node.orelse)):
            return True
    return may_return(body)


def may_return(body: Sequence[ast.stmt]) -> bool:
    """True where a statement, nested functions left out, may return."""
    for node in body:
        if isinstance(node, ast.Return):
            return True
        if isinstance(node, ast.If | ast.For | ast.While) and (
            may_return(node.body) or may_return(node.orelse)
        ):
            return True
    return False


def last_return(node: ast.FunctionDef) -> ast.expr | ast.Return | None:
    """The value of a function's last `return`, for messages."""
    found = [item for item in statements_in(node) if isinstance(item, ast.Return)]
    if not found:
        return None
    last = max(found, key=lambda item: item.lineno)
    return last.value if last.value is not None else last


def returns_a_closure(node: ast.FunctionDef) -> bool:
    """True where the last part of what is returned is, or calls, a function that is defined inside."""
    returned = last_return(node)
    if not isinstance(returned, ast.Tuple) or not returned.elts:
        return False
    inside = {item.name for item in ast.walk(node) if isinstance(item, ast.FunctionDef) and item is not node}
    return any(
        isinstance(item, ast.Lambda) or (isinstance(item, ast.Name) and item.id in inside)
        for item in ast.walk(returned.elts[-1])
    )
