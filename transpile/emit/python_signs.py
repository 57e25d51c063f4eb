"""Signs and powers of two that cancel in an expression, which a person would not write.

What is left has the same value to the last bit, but where a half would underflow.

>>> for text in ("a + -b", "-a * b + c", "-(-a * b / c)", "a - -b", "g * -0.5 * 2 * z", "g / 2 * 2 * s"):
...     print(ast.unparse(_tidied(text)))
a - b
c - a * b
a * b / c
a + b
-g * z
g * s
"""

from __future__ import annotations

import ast
import math
from typing import cast


def tidy(node: ast.UnaryOp | ast.BinOp) -> ast.expr:
    """The expression, whose operands are tidy, without what cancels."""
    if isinstance(node, ast.UnaryOp):
        positive = _without_minus(node.operand) if isinstance(node.op, ast.USub) else None
        return node if positive is None else positive
    if isinstance(node.op, ast.Mult):
        return _product(node)
    if isinstance(node.op, ast.Add):
        if (right := _without_minus(node.right)) is not None:
            return ast.BinOp(node.left, ast.Sub(), right)
        if (left := _without_minus(node.left)) is not None:
            return ast.BinOp(node.right, ast.Sub(), left)
    if isinstance(node.op, ast.Sub) and (right := _without_minus(node.right)) is not None:
        return ast.BinOp(node.left, ast.Add(), right)
    return node


def _without_minus(node: ast.expr) -> ast.expr | None:
    """The operand of a minus: the first factor of a product may have it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return node.operand
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.MatMult):
        first = _without_minus(node.left)
        return None if first is None else ast.BinOp(first, node.op, node.right)
    return None


def _product(node: ast.BinOp) -> ast.expr:
    """A product in which two numbers that follow each other are one, where that is exact."""
    factor, left = _number(node.right), node.left
    if factor is None or not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mult | ast.Div):
        return node
    before, times = _number(left.right), isinstance(left.op, ast.Mult)
    if before is None or not (_is_power(before) or (times and _is_power(factor))):
        return node
    number = factor * before if times else factor / before
    if number == 1:
        return left.left
    if number == -1:
        return tidy(ast.UnaryOp(ast.USub(), left.left))
    whole = int(number) if number == int(number) else number
    constant = ast.Constant(abs(whole))
    return ast.BinOp(left.left, ast.Mult(), constant if number > 0 else ast.UnaryOp(ast.USub(), constant))


def _number(node: ast.expr) -> float | None:
    """A number other than zero that stands there as one."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value == 0:
        return None
    return sign * value


def _is_power(number: float) -> bool:
    """True for a power of two: a product with it is exact."""
    return abs(math.frexp(number)[0]) == 0.5


def _tidied(text: str) -> ast.expr:
    """A text whose operations are tidied from the inside out."""

    class Tidied(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            return tidy(cast(ast.BinOp, self.generic_visit(node)))

        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
            return tidy(cast(ast.UnaryOp, self.generic_visit(node)))

    return cast(ast.Expression, Tidied().visit(ast.parse(text, mode="eval"))).body
