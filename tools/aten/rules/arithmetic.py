"""Operators of C++, and its conditional expression."""

from __future__ import annotations

import ast
from typing import Any

from pullback.transpile.emit.python_expr import COMPARE

from ..cpp import field, text_of
from ..errors import NotImported
from ..scope import Scope
from .calls import call_of
from .rule import Read

ARITHMETIC: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "&": ast.BitAnd,
    "|": ast.BitOr,
}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
LOGIC: dict[str, type[ast.boolop]] = {"&&": ast.And, "||": ast.Or}


def binary(node: Any, scope: Scope, read: Read) -> ast.expr:
    """`a && b` is `a and b`; arithmetic and comparisons are spelled the same."""
    operator = text_of(field(node, "operator"))
    left, right = field(node, "left"), field(node, "right")
    if operator in ARITHMETIC:
        if operator == "/" and _whole(left, scope) and _whole(right, scope):
            return ast.BinOp(read(left), ast.FloorDiv(), read(right))  # of sizes, which are not negative
        return ast.BinOp(read(left), ARITHMETIC[operator](), read(right))
    if operator in COMPARE:
        first, second = read(left), read(right)
        if left.type in ("number_literal", "unary_expression") and right.type == "identifier":
            first, second, operator = second, first, TURNED[operator]
        return ast.Compare(first, [COMPARE[operator]()], [second])
    if operator in LOGIC:
        return _flat(LOGIC[operator](), read(left), read(right))
    raise NotImported(f"no rule for the operator `{operator}`")


def _whole(node: Any, scope: Scope) -> bool:
    """True for a whole number, which C++ divides without a remainder."""
    if node.type == "number_literal":
        return text_of(node).isdigit()
    if node.type == "identifier":
        return scope.type_of(text_of(node)) in ("int", "SymInt")
    return node.type == "call_expression" and call_of(node).name in ("size", "sym_size", "sym_numel", "dim")


def _flat(operator: ast.boolop, left: ast.expr, right: ast.expr) -> ast.expr:
    first = left.values if isinstance(left, ast.BoolOp) and type(left.op) is type(operator) else [left]
    return ast.BoolOp(operator, [*first, right])


def unary(node: Any, scope: Scope, read: Read) -> ast.expr:
    """`-x` is spelled the same, `!x` is `not x`."""
    operator = text_of(field(node, "operator"))
    if operator not in ("-", "!"):
        raise NotImported(f"no rule for the operator `{operator}`")
    operand = read(field(node, "argument"))
    if operator == "-":
        return ast.UnaryOp(ast.USub(), operand)
    if isinstance(operand, ast.Compare) and isinstance(operand.ops[0], ast.Is | ast.IsNot):
        turned = ast.IsNot() if isinstance(operand.ops[0], ast.Is) else ast.Is()
        return ast.Compare(operand.left, [turned], operand.comparators)
    return ast.UnaryOp(ast.Not(), operand)


def parenthesized(node: Any, scope: Scope, read: Read) -> ast.expr:
    """Python's parentheses are written where precedence asks for them."""
    return read(node.named_children[0])


def conditional(node: Any, scope: Scope, read: Read) -> ast.expr:
    """`test ? a : b` is `a if test else b`."""
    test, first, second = (read(field(node, part)) for part in ("condition", "consequence", "alternative"))
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is):
        test, first, second = ast.Compare(test.left, [ast.IsNot()], test.comparators), second, first
    return ast.IfExp(test, first, second)


RULES = {
    "binary_expression": (binary,),
    "unary_expression": (unary,),
    "parenthesized_expression": (parenthesized,),
    "conditional_expression": (conditional,),
}
