"""The names that statements assign."""

from __future__ import annotations

import ast
from collections.abc import Iterable


def assigned(body: Iterable[ast.AST]) -> list[str]:
    """Names that statements, and targets, assign, in order, nested functions left out."""
    found: dict[str, None] = {}
    queue: list[ast.AST] = list(body)
    while queue:
        node = queue.pop(0)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            queue.insert(0, ast.copy_location(_stored(node.value), node))
        queue.extend(ast.iter_child_nodes(node))
    return list(found)


def _stored(node: ast.expr) -> ast.expr:
    """The name that ``name[...] = ...``, or ``name[...][...] = ...``, binds anew."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return ast.Name(node.id, ast.Store()) if isinstance(node, ast.Name) else node
