"""A formula inside another function: the names of the functions around it.

Read from text alone, a factory's parameter has no value yet; it becomes an
attribute of the formula. A live formula has the value, which its own names give.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..syntax.text import Text, inner_statements
from .bindings import Binding, Names


def enclosing_functions(tree: ast.Module) -> dict[ast.FunctionDef, tuple[ast.FunctionDef, ...]]:
    """For each function, the functions that it stands in, outermost first."""
    found: dict[ast.FunctionDef, tuple[ast.FunctionDef, ...]] = {}
    queue: list[tuple[ast.AST, tuple[ast.FunctionDef, ...]]] = [(tree, ())]
    while queue:
        node, around = queue.pop()
        inner = around
        if isinstance(node, ast.FunctionDef):
            found[node] = around
            inner = (*around, node)
        queue += [(child, inner) for child in inner_statements(node)]
    return found


def names_inside(text: Text, names: Names, around: Sequence[ast.FunctionDef]) -> Names:
    """Names as a formula inside these functions sees them."""
    if not around:
        return names
    helpers = {
        node.name
        for function in around
        for node in function.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }
    local = {name for function in around for name in text.locals_of(function)}

    def find(name: str) -> Binding | None:
        known = names.find(name)
        if known is not None and known.kind == "formula":
            return known
        if name in helpers:
            return Binding.helper(name, text.source, inside)
        return Binding.factory(name) if name in local else known

    inside = Names(find, names.formulas)
    return inside
