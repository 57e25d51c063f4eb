"""Operators of one element as C++ expressions.

`lane` gives the expression of an equation from those of its operands, and
`result_type` the type that NumPy would give it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...operators import OPERATORS
from ...operators.info import Scalar
from ...records import record
from .types import FLOATS, Type, cast, floating, join, number, stored

# C++'s precedences: a lower one binds tighter.
ATOM, UNARY, TIMES, PLUS, ORDER, EQUAL, AND, OR, CHOICE, COMMA = 1, 3, 5, 6, 9, 10, 14, 15, 16, 17


@record(frozen=True, slots=True)
class Expr:
    """C++ text of a type, with the precedence of its outermost operator. `literal` is a number's value."""

    text: str
    type: Type
    precedence: int = ATOM
    literal: object = None

    def within(self, precedence: int) -> str:
        """The text, in parentheses where an operator of this precedence needs them."""
        return self.text if self.precedence < precedence else f"({self.text})"

    def to(self, target: Type) -> Expr:
        """The expression converted to a type."""
        if isinstance(self.literal, int | float):
            return Expr(number(self.literal, target), target, UNARY if target != "T" else ATOM)
        text = cast(self.text, self.type, target)
        return Expr(text, target, self.precedence if text == self.text else ATOM)


# Symbols between operands, by how they bind.
_PRECEDENCE = {
    **dict.fromkeys("*/", TIMES),
    **dict.fromkeys("+-", PLUS),
    **dict.fromkeys(("<", "<=", ">", ">="), ORDER),
    **dict.fromkeys(("==", "!="), EQUAL),
    "&&": AND,
    "||": OR,
}

# Operators that C++ computes entry by entry, as the table says.
_SCALARS: dict[str, tuple[Scalar, str]] = {
    name: (operator.scalar, operator.scalar.cpp)
    for name, operator in OPERATORS.items()
    if operator.scalar is not None and operator.scalar.cpp is not None
}
POINTWISE = frozenset(_SCALARS)
FROM_SCIPY = frozenset(name for name, (scalar, _) in _SCALARS.items() if scalar.special)


def result_type(op: str, types: Sequence[Type]) -> Type:
    """The type of an operator's result."""
    operator, (scalar, _) = OPERATORS[op], _SCALARS[op]
    if operator.dtype == "bool":
        return "bool"
    if op == "where":
        return join(types[1:])
    joined = join(types)
    return floating(joined) if operator.dtype == "float" or scalar.takes == "float" else joined


def refusal(op: str, types: Sequence[Type]) -> str | None:
    """Why an operator cannot be had on these types, or None."""
    joined, (scalar, _) = join(types), _SCALARS[op]
    if scalar.of == "bools":
        return None if joined == "bool" else f"{op} is compiled for booleans only"
    if scalar.of == "floats":
        return None if joined in FLOATS else f"{op} is compiled for floats only"
    if scalar.special and "bool" in types:
        return f"{op} of booleans is compiled for no dtype that NumPy gives"
    if joined != "bool":
        return None
    if op in ("subtract", "negative"):
        return f"{op} of booleans is no NumPy operator"
    if scalar.of == "numbers":
        return f"{op} is compiled for numbers only"
    if scalar.takes == "float" and OPERATORS[op].dtype != "bool":
        return f"{op} of booleans is half precision in NumPy, which is not compiled"
    return None


def lane(op: str, operands: Sequence[Expr], kind: Type) -> Expr:
    """The expression of an equation whose result has type `kind`."""
    scalar, cpp = _SCALARS[op]
    if cpp in _PRECEDENCE:
        return _infix(cpp, scalar.takes, operands, kind)
    if op in _SPECIAL:
        return _SPECIAL[op](operands, kind)
    if OPERATORS[op].dtype == "bool":
        (x,) = operands
        return Expr(f"pb::{cpp}({x.to(floating(x.type)).text})", "bool")
    return _call(cpp, operands, kind)


def _infix(symbol: str, takes: str, operands: Sequence[Expr], kind: Type) -> Expr:
    """A symbol between two operands that are converted to what it takes."""
    precedence = _PRECEDENCE[symbol]
    if takes == "promote":
        common = join(operand.type for operand in operands)
        common = {"weak int": "int64_t", "weak float": "double", "weak bool": "bool"}.get(common, common)
        return Expr(_binary(symbol, precedence, operands, common).text, "bool", precedence)
    if takes == "truth":
        return _binary(symbol, precedence, [_truth(operand) for operand in operands], "bool")
    return _binary(symbol, precedence, operands, kind)


def _binary(symbol: str, precedence: int, operands: Sequence[Expr], kind: Type) -> Expr:
    left, right = (operand.to(kind) for operand in operands)
    if symbol == "||":
        # Compilers warn of `&&` within it.
        left = left if left.precedence == OR else Expr(left.within(AND), kind)
        right = Expr(right.within(AND), kind)
    # Evaluated from the left; a - (b - c) and a * (b * c) keep their parentheses, as NumPy's order.
    text = f"{left.within(precedence + 1)} {symbol} {right.within(precedence)}"
    return Expr(text, kind, precedence)


def _call(name: str, operands: Sequence[Expr], kind: Type) -> Expr:
    texts = [operand.to(kind).text for operand in operands]
    if kind in ("weak int", "int64_t"):
        texts = [
            text if operand.literal is None else f"int64_t{{{text}}}"
            for text, operand in zip(texts, operands, strict=True)
        ]
    return Expr(f"pb::{name}({', '.join(texts)})", kind)


def _truth(operand: Expr) -> Expr:
    if operand.type in ("bool", "weak bool"):
        return operand
    zero = number(0, operand.type)
    return Expr(f"{operand.within(EQUAL)} != {zero}", "bool", EQUAL)


def _negative(operands: Sequence[Expr], kind: Type) -> Expr:
    return Expr(f"-{operands[0].to(kind).within(UNARY)}", kind, UNARY)


def _same(operands: Sequence[Expr], kind: Type) -> Expr:
    return operands[0].to(kind)


def _not(operands: Sequence[Expr], kind: Type) -> Expr:
    return Expr(f"!{_truth(operands[0]).within(UNARY)}", "bool", UNARY)


def _reciprocal(operands: Sequence[Expr], kind: Type) -> Expr:
    return Expr(f"{number(1, kind)} / {operands[0].to(kind).within(TIMES)}", kind, TIMES)


_ELEMENT = re.compile(r"\w+\[i\]")


def _where(operands: Sequence[Expr], kind: Type) -> Expr:
    condition, x, y = _truth(operands[0]), operands[1].to(kind), operands[2].to(kind)
    if any(_ELEMENT.fullmatch(side.text) for side in (x, y)):
        # An element that is read in any case: what is read by a condition may not be vectorized.
        return Expr(f"pb::where<{stored(kind)}>({condition.text}, {x.text}, {y.text})", kind)
    return Expr(f"{condition.within(CHOICE)} ? {x.within(CHOICE)} : {y.within(CHOICE)}", kind, CHOICE)


def _clip(operands: Sequence[Expr], kind: Type) -> Expr:
    x, low, high = operands
    result = x.to(kind)
    if low.type != "none":
        result = _call("maximum", [result, low], kind)
    if high.type != "none":
        result = _call("minimum", [result, high], kind)
    return result


def _power(operands: Sequence[Expr], kind: Type) -> Expr:
    base, exponent = operands
    known: dict[object, Callable[[], Expr]] = {
        2: lambda: _call("square", [base], kind),
        1: lambda: base.to(kind),
        0.5: lambda: _call("sqrt", [base], kind),
        -1: lambda: _reciprocal([base], kind),
    }
    if exponent.literal in known and not isinstance(exponent.literal, bool):
        return known[exponent.literal]()
    return _call("power", operands, kind)


_SPECIAL: dict[str, Callable[[Sequence[Expr], Type], Expr]] = {
    "negative": _negative,
    "positive": _same,
    "stop_gradient": _same,
    "astype": _same,
    "logical_not": _not,
    "invert": _not,
    "reciprocal": _reciprocal,
    "where": _where,
    "clip": _clip,
    "power": _power,
    "relu": lambda operands, kind: _call("maximum", [operands[0], Expr("0", "weak int", ATOM, 0)], kind),
    "round": lambda operands, kind: _call("round", operands[:1], kind),
}
