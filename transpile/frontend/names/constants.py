"""Constant expressions over the names of a module, and the full names of functions."""

from __future__ import annotations

import ast

from ...ir import Literal
from ..syntax.folding import BINARY, UNARY, fold, fold_call
from ..syntax.spelling import canonical, constant_of
from .bindings import Names


def fold_node(node: ast.expr, names: Names) -> Literal | None:
    """The value of a constant expression over module-level names, or None."""
    if isinstance(node, ast.Constant):
        constant = isinstance(node.value, int | float | str | None)
        return Literal(node.value) if constant or node.value is Ellipsis else None
    if isinstance(node, ast.Tuple):
        items = [fold_node(item, names) for item in node.elts]
        if any(item is None for item in items):
            return None
        return Literal(tuple(item.value for item in items if item is not None))
    if isinstance(node, ast.Name | ast.Attribute):
        return _named(node, names)
    if isinstance(node, ast.UnaryOp):
        inner = fold_node(node.operand, names)
        return fold(UNARY[type(node.op)], inner) if inner is not None else None
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        left, right = fold_node(node.left, names), fold_node(node.right, names)
        return fold(BINARY[type(node.op)], left, right) if left is not None and right is not None else None
    if isinstance(node, ast.Call) and not node.keywords:
        dotted = dotted_name(node.func, names)
        operands = [fold_node(item, names) for item in node.args]
        if dotted is not None and all(item is not None for item in operands):
            return fold_call(dotted, *(item for item in operands if item is not None))
    return None


def _named(node: ast.Name | ast.Attribute, names: Names) -> Literal | None:
    if isinstance(node, ast.Name):
        binding = names.lookup(node.id)
        if binding is not None and binding.kind == "constant":
            return binding.literal
    dotted = dotted_name(node, names)
    return constant_of(dotted) if dotted is not None else None


def dotted_name(node: ast.expr, names: Names) -> str | None:
    """The full name that an attribute chain stands for ("numpy.linalg.norm"), or None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    binding = names.lookup(node.id)
    if binding is None or binding.kind != "dotted":
        return None
    return canonical(".".join([binding.name, *reversed(parts)]))
