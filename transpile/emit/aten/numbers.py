"""Functions of numbers, of shapes and of dtypes as expressions."""

from __future__ import annotations

from ...ir import Eqn
from ...operators import OperatorInfo
from .operands import Operands
from .values import (
    BOOL,
    DOUBLE,
    DTYPE,
    INT,
    INTS,
    NUMBERS,
    PARTS,
    SIZES,
    STRING,
    Expr,
    binary,
    call,
    negative,
    opposite,
    tuple_of,
)
from .vocabulary import OF_TRUTH, OF_VALUES

_OF_INTEGERS = {"remainder": "remainder_of", "power": "power_of"}
_INFIX = frozenset("+-*/%&|^") | {"<", "<=", ">", ">=", "==", "!="}


def of_values(e: Operands, eqn: Eqn, info: OperatorInfo, operands: list[Expr]) -> Expr:
    """A function of numbers."""
    infix = infix_of(info)
    kinds = {value.type for value in operands}
    if eqn.op == "astype":
        return operands[0]
    if eqn.op == "negative":
        of_truth = operands[0].type == BOOL  # whose negative is an integer
        return negative(operands[0], INT if of_truth else operands[0].type)
    if eqn.op == "logical_not":
        return opposite(operands[0])
    if eqn.op == "add" and kinds <= {SIZES, INTS, PARTS}:
        if all(value.parts for value in operands):
            return tuple_of(tuple(part for value in operands for part in value.parts))
        return call("chained", *(e.converted(value, INTS, eqn) for value in operands), type=INTS)
    if not kinds <= {*NUMBERS, DTYPE, STRING} or not operands:
        raise e.refusal(eqn, info.python)
    if info.dtype == "bool" and infix:
        if DTYPE in kinds:
            operands = [Expr(e.dtype(eqn, value), DTYPE) for value in operands]
        return binary(infix, operands[0], operands[1], BOOL)
    floats = DOUBLE in kinds
    if eqn.op in _OF_INTEGERS and not floats:
        return call(_OF_INTEGERS[eqn.op], *operands, type=INT)
    if eqn.op == "divide":
        first, second = (
            value if value.type == DOUBLE else Expr(e.converted(value, DOUBLE), DOUBLE) for value in operands
        )
        return binary("/", first, second, DOUBLE)
    if eqn.op == "floor_divide" and not floats:
        written = any(value.constant is not None for value in operands)  # an `int`
        return call(f"c10::div_floor_integer{'<int64_t>' if written else ''}", *operands, type=INT)
    if eqn.op in ("add", "subtract", "multiply"):
        if floats:  # a whole number that is not written there is converted
            operands = [
                Expr(e.converted(value, DOUBLE), DOUBLE)
                if value.type != DOUBLE and value.constant is None
                else value
                for value in operands
            ]
        return binary(infix, operands[0], operands[1], DOUBLE if floats else INT)
    if eqn.op in ("maximum", "minimum"):
        type = DOUBLE if floats else INT
        return call(f"std::{eqn.op[:3]}<{type}>", *operands, type=type)
    if eqn.op == "square":
        return binary("*", operands[0], operands[0], operands[0].type)
    if eqn.op == "where":
        return e.choice(eqn, operands[0], operands[1], operands[2])
    name = OF_VALUES.get(eqn.op)
    if name is None or (eqn.op == "power" and not floats):
        raise e.refusal(eqn, f"{info.python} of numbers")
    type = BOOL if eqn.op in OF_TRUTH else DOUBLE
    return call(name, *operands, type=type)


def infix_of(info: OperatorInfo) -> str:
    """The sign of C++ between two operands, or nothing."""
    other = info.name in ("power", "floor_divide", "remainder", "matmul")
    return info.infix if info.infix in _INFIX and not other else ""
