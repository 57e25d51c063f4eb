"""Python expressions from a pattern."""

from __future__ import annotations

import ast
import copy
from functools import cache


class _Filled(ast.NodeTransformer):
    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.parts.get(node.id, node)


@cache
def _pattern(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def build(pattern: str, **parts: ast.expr) -> ast.expr:
    """The expression of a pattern, with expressions in the place of its names.

    >>> ast.unparse(build("VALUE.shape[AXIS]", VALUE=ast.Name("x"), AXIS=ast.Constant(0)))
    'x.shape[0]'
    """
    filled: ast.expr = _Filled(parts).visit(copy.deepcopy(_pattern(pattern)))
    return filled


def name(text: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(text, ast.Load())
