"""Arithmetic of constants, done when a formula is read."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from ...ir import Literal
from ...operators import OF_MATH, by_python

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.MatMult: "matmul",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
}
UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "negative",
    ast.UAdd: "positive",
    ast.Invert: "invert",
    ast.Not: "not_",
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "negative": operator.neg,
    "positive": operator.pos,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "not_": operator.not_,
}
# Functions whose value in `math` is the one that NumPy gives.
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "square": lambda x: x * x,
    "abs": abs,
}
_KEEPS_INTEGERS = frozenset({"square", "abs"})
_MATH: dict[str, Callable[..., Any]] = {
    **{f"math.{name}": getattr(math, name) for name in OF_MATH},
    "math.erf": math.erf,
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "abs": abs,
    "float": float,
    "int": int,
    "bool": bool,
}
_LARGEST = 10**18


def fold(op: str, *operands: Literal) -> Literal | None:
    """The value of an operator of constants, or None where it isn't one.

    >>> fold("divide", Literal(1), Literal(4))
    Literal(value=0.25, strong=False)
    >>> fold("divide", Literal(1), Literal(0)) is None
    True
    """
    values = [literal.value for literal in operands]
    if op in ("equal", "not_equal"):
        if all(isinstance(value, str | int | float | None) for value in values):
            same = values[0] == values[1]
            return Literal(same if op == "equal" else not same)
        return None
    if not all(isinstance(value, int | float) and _moderate(value) for value in values):
        return None
    function = _ARITHMETIC.get(op)
    if function is None or (op == "power" and not _safe_power(values)):
        return None
    try:
        result = function(*values)
    except ArithmeticError:
        return None
    strong = any(literal.strong for literal in operands)
    if isinstance(result, bool):
        return Literal(result)
    return Literal(result, strong) if isinstance(result, int | float) else None


def fold_call(dotted: str, *operands: Literal) -> Literal | None:
    """The value of a function of constants; what NumPy computes is `strong`.

    >>> fold_call("numpy.sqrt", Literal(4.0))
    Literal(value=2.0, strong=True)
    """
    if dotted == "float" and len(operands) == 1 and isinstance(operands[0].value, str):
        return _number_of(operands[0].value)
    if len(operands) != 1 or not isinstance(operands[0].value, int | float):
        return None
    info = by_python(dotted)
    by_numpy = info is not None and info.name in _FUNCTIONS and dotted.startswith("numpy.")
    if dotted == "numpy.float64":
        return Literal(float(operands[0].value), True)
    if by_numpy and info is not None and info.name in _KEEPS_INTEGERS and isinstance(operands[0].value, int):
        return None  # a NumPy integer, which widens float32 as no literal does
    function = _FUNCTIONS[info.name] if by_numpy and info is not None else _MATH.get(dotted)
    if function is None:
        return None
    try:
        result = function(operands[0].value)
    except (ArithmeticError, ValueError):
        return None
    return Literal(result, by_numpy and isinstance(result, float))


def _number_of(text: str) -> Literal | None:
    """``float("inf")``."""
    try:
        return Literal(float(text))
    except ValueError:
        return None


def _moderate(value: object) -> bool:
    return not isinstance(value, int) or abs(value) <= _LARGEST


def _safe_power(values: list[Any]) -> bool:
    base, exponent = values
    if isinstance(base, int) and isinstance(exponent, int):
        return abs(exponent) <= 64 and abs(base) <= 1_000
    return True
