"""Operators, and the conditional expression."""

from __future__ import annotations

import ast

from pullback.transpile.emit.aten.values import BITS, CHOICE, PRIMARY, UNARY
from pullback.transpile.emit.python_expr import COMPARE

from ...rules.arithmetic import ARITHMETIC, LOGIC
from ..errors import NotExported
from ..scope import Scope
from ..types import BOOL, CONJUGATE, NONE, NUMBER, SCALAR, STRING, SYMINT, TENSOR, is_symbolic, is_tensor
from ..values import Expr, joined
from .rule import Rule, Write

_SYMBOLS = {kind: symbol for symbol, kind in (ARITHMETIC | COMPARE | LOGIC).items()}


def binary(node: ast.BinOp, scope: Scope, write: Write) -> Expr | None:
    """Arithmetic is spelled the same; `a // b` is `a / b` of whole numbers."""
    first, second = write(node.left), write(node.right)
    if isinstance(node.op, ast.FloorDiv):
        if is_tensor(first.type) or is_tensor(second.type):
            raise NotExported("`//` of tensors rounds in Python only", node, 'write aten.div(a, b, "floor")')
        return joined("/", first, second, SYMINT)
    symbol = _SYMBOLS.get(type(node.op))
    if symbol is None:
        return None
    if is_tensor(first.type) or is_tensor(second.type):
        return joined(symbol, first, second, TENSOR)
    first, second = _number(first), _number(second)
    symbolic = is_symbolic(first.type) or is_symbolic(second.type)
    return joined(symbol, first, second, SYMINT if symbolic else first.type)


def _number(value: Expr) -> Expr:
    """A Scalar as a number: C++ neither adds nor compares Scalars. A conjugate is taken of complex ones."""
    method = {SCALAR: "toDouble", CONJUGATE: "toComplexDouble"}.get(value.type)
    return value if method is None else Expr(f"{value.within(PRIMARY)}.{method}()", NUMBER)


def compare(node: ast.Compare, scope: Scope, write: Write) -> Expr | None:
    """A comparison is spelled the same, and compares two."""
    symbol = _SYMBOLS.get(type(node.ops[0]))
    if symbol is None or len(node.ops) > 1:
        return None
    first, second = write(node.left), write(node.comparators[0])
    if is_tensor(first.type) or is_tensor(second.type):
        return joined(symbol, first, second, TENSOR)
    if STRING in (first.type, second.type):
        return joined(symbol, first, second, BOOL)
    return joined(symbol, _number(first), _number(second), BOOL)


def logic(node: ast.BoolOp, scope: Scope, write: Write) -> Expr:
    """`a and b` is `a && b`."""
    symbol = _SYMBOLS[type(node.op)]
    return Expr(f" {symbol} ".join(_truth(write(value)).within(BITS) for value in node.values), BOOL, CHOICE)


def _truth(value: Expr) -> Expr:
    """The value of an optional bool, which C++ asks for by name."""
    return Expr(f"{value.within(PRIMARY)}.value()", BOOL) if value.type == "bool?" else value


def unary(node: ast.UnaryOp, scope: Scope, write: Write) -> Expr | None:
    """`-x` is spelled the same, `not x` is `!x`."""
    operand = write(node.operand)
    if isinstance(node.op, ast.USub):
        return Expr(f"-{operand.within(PRIMARY)}", operand.type, UNARY)
    if not isinstance(node.op, ast.Not):
        return None
    return Expr(f"!{_truth(operand).within(PRIMARY)}", BOOL, UNARY)


def conditional(node: ast.IfExp, scope: Scope, write: Write) -> Expr:
    """`a if test else b` is `test ? a : b`."""
    test, first, second = write(node.test), write(node.body), write(node.orelse)
    first, second = _held(first, second), _held(second, first)
    of_type = second.type if first.type == NONE else first.type
    return Expr(f"{test.within(BITS)} ? {first.within(BITS)} : {second.within(BITS)}", of_type, CHOICE)


def _held(value: Expr, other: Expr) -> Expr:
    """The value of an optional one beside one that is there: both have one type in C++."""
    if value.type != f"{other.type}?" or is_tensor(value.type):
        return value
    return Expr(f"{value.within(PRIMARY)}.value()", other.type)


RULES: dict[str, tuple[Rule, ...]] = {
    "BinOp": (binary,),
    "Compare": (compare,),
    "BoolOp": (logic,),
    "UnaryOp": (unary,),
    "IfExp": (conditional,),
}
