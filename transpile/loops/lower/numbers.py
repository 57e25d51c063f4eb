"""Python's arithmetic of numbers as expressions, which refuse where there is no such number in C++.

>>> from ..expressions import Name
>>> from ..printer import expression_text
>>> n = Scalar(Name("n"), "weak int")
>>> print(expression_text(of_numbers("divide", [literal(1, "weak int"), n]).node))
quotient(1, double(n))
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence

from ...operators import OF_MATH
from ...operators.plain import MATH_OF_FLOATS, MATH_OF_INTEGERS
from ...passes.kernel.types import Type, join
from ..expressions import Braces, Expression, Number, run
from .scalars import Scalar, lane, literal

# Lengths, counters and small numbers: sums and products of them fit into 64 bits.
_SMALL = 2**31
_LARGEST = 10**18
_ARITHMETIC: dict[str, Callable[..., bool | int | float]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "negative": operator.neg,
    "positive": operator.pos,
    "abs": abs,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    **{f"math.{name}": getattr(math, name) for name in OF_MATH},
    "math.erf": math.erf,
}
_COMPARISONS = frozenset(["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
_OF_BOOLS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor"})
_OF_MATH = {f"math.{name}": f"math_{name}" for name in OF_MATH}
_OF_INTEGERS = {"add": "integer_sum", "subtract": "integer_difference", "multiply": "integer_product"}
_DIVIDING = {"floor_divide": "whole_quotient", "remainder": "whole_remainder"}


def of_numbers(op: str, operands: Sequence[Scalar]) -> Scalar | None:
    """The result of Python's operator, or function, for its numbers; None for what is none of these."""
    if op in _OF_BOOLS:
        bools = all(operand.type == "weak bool" for operand in operands)
        return Scalar(lane(op, operands, "bool").node, "weak bool") if bools else None
    if op not in _ARITHMETIC or (op.startswith("math.") and len(operands) != 1):
        return None
    if (known := _known(op, operands)) is not None:
        return known
    if op in _COMPARISONS:
        return Scalar(lane(op, operands, "bool").node, "weak bool")
    if op == "math.erf":
        return lane("erf", operands, "weak float")
    if op in _OF_MATH:
        return _run(_OF_MATH[op], operands, "weak float")
    kind = join(operand.type for operand in operands)
    kind = "weak int" if kind == "weak bool" else kind
    if op == "divide":
        return _run("quotient", operands, "weak float")
    if op in _DIVIDING:
        return _run(_DIVIDING[op], operands, kind)
    if op == "power":
        return _power(operands, kind)
    large = kind == "weak int" and any(map(_is_large, operands))
    if large and op in _OF_INTEGERS:
        return _run(_OF_INTEGERS[op], operands, kind)
    if large and op == "negative":
        return _run("integer_difference", [literal(0, kind), *operands], kind)
    return lane(op, operands, kind)


def of_math(name: str, operands: Sequence[Scalar]) -> Scalar | None:
    """The result of a function of `math` for Python's numbers; None where it is no such function."""
    function = name.removeprefix("math.")
    if function == name or not all(operand.type.startswith("weak") for operand in operands):
        return None
    if MATH_OF_FLOATS.get(function) == len(operands):
        return _run(f"math_{function}", operands, "weak float")
    whole = all(operand.type == "weak int" for operand in operands)
    if whole and MATH_OF_INTEGERS.get(function) == len(operands):
        return _run(f"math_{function}", operands, "weak int")
    return None


def integer_near(how: str, operand: Scalar) -> Scalar:
    """The integer that a number is rounded to, by ``trunc``, ``floor``, ``ceil`` or ``round``."""
    if operand.type == "weak int":
        return operand
    if operand.type in ("weak bool", "int64_t", "bool"):
        return operand.to("weak int")
    return _run("integer_of", [lane(how, [operand.to("weak float")], "weak float")], "weak int", "weak float")


def _known(op: str, operands: Sequence[Scalar]) -> Scalar | None:
    """The value where all operands are known, and it is a number of moderate size."""
    values = [operand.literal for operand in operands]
    if not all(isinstance(value, int | float) for value in values):
        return None
    if op == "power" and isinstance(values[1], int) and abs(values[1]) > 64:
        return None
    try:
        found = _ARITHMETIC[op](*values)
    except (ArithmeticError, ValueError):
        return None
    if not isinstance(found, int | float) or (isinstance(found, int) and abs(found) > _LARGEST):
        return None
    kind = {bool: "weak bool", int: "weak int"}.get(type(found), "weak float")
    return literal(found, kind)


def _power(operands: Sequence[Scalar], kind: Type) -> Scalar:
    """A power, which of integers is one where the exponent is not negative."""
    exponent = operands[1].literal
    if kind == "weak int" and not (isinstance(exponent, int) and exponent < 0):
        return _run("integer_power", operands, kind)
    return _run("float_power", operands, "weak float")


def _is_large(operand: Scalar) -> bool:
    """True for an integer of any size."""
    return operand.large or (isinstance(operand.literal, int) and abs(operand.literal) > _SMALL)


def _run(function: str, operands: Sequence[Scalar], kind: Type, takes: Type = "") -> Scalar:
    """A function of the runtime that may refuse, of operands in the result's type or in what it takes."""
    nodes = (operand.to(takes or kind).node for operand in operands)
    return Scalar(run(function, *map(_typed, nodes)), kind, large=kind == "weak int")


def _typed(expression: Expression) -> Expression:
    """A number as one of 64 bits, where overloads are told apart by it."""
    whole = isinstance(expression, Number) and expression.type == "int64_t"
    return Braces((expression,), "int64_t") if whole else expression
