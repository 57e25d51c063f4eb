"""Operators of one element as C++ expressions.

`lane` gives the expression of an equation from those of its operands, and
`result_type` the type that NumPy would give it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...operators import OPERATORS
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


_INFIX = {
    "add": ("+", PLUS),
    "accumulate": ("+", PLUS),
    "subtract": ("-", PLUS),
    "multiply": ("*", TIMES),
    "divide": ("/", TIMES),
}
_COMPARE = {
    "less": ("<", ORDER),
    "less_equal": ("<=", ORDER),
    "greater": (">", ORDER),
    "greater_equal": (">=", ORDER),
    "equal": ("==", EQUAL),
    "not_equal": ("!=", EQUAL),
}
_LOGIC = {"logical_and": ("&&", AND), "logical_or": ("||", OR)}
_BITWISE = {"bitwise_and": ("&&", AND), "bitwise_or": ("||", OR)}

# Functions of kernel/math/elementary.h and kernel/math/functions.h that have NumPy's name; the first take
# only floats.
_OF_FLOATS = """
    exp expm1 log log1p sqrt sin cos tan tanh sinh cosh arctan arcsin arccos arcsinh arccosh arctanh
    exp2 log2 log10 cbrt erf erfc arctan2 copysign fmod hypot logaddexp logaddexp2 sigmoid softplus
    sinc sinc_derivative
"""
# Those of kernel/math/special.h, which SciPy computes.
_OF_SCIPY = """
    erfcx erfi erfinv erfcinv dawsn ndtr log_ndtr ndtri expi exp1 gammaln loggamma gamma rgamma digamma
    polygamma beta betaln rel_entr kl_div i0 i0e i1 i1e j0 j1 y0 y1 k0 k0e k1 k1e bessel_i bessel_j
"""
FROM_SCIPY = frozenset(_OF_SCIPY.split())
_FLOAT_FUNCTIONS = frozenset(_OF_FLOATS.split()) | FROM_SCIPY
_FUNCTIONS = frozenset(
    {
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "sign",
        "abs",
        "floor",
        "ceil",
        "trunc",
        "remainder",
        "floor_divide",
    }
)
_PREDICATES = frozenset(["isnan", "isinf", "isfinite", "signbit"])
_SAME = frozenset({"positive", "stop_gradient"})

POINTWISE = frozenset(
    {*_INFIX, *_COMPARE, *_LOGIC, *_BITWISE, *_FLOAT_FUNCTIONS, *_FUNCTIONS, *_PREDICATES, *_SAME}
    | {
        "negative",
        "square",
        "reciprocal",
        "power",
        "clip",
        "where",
        "relu",
        "logical_not",
        "invert",
        "round",
        "astype",
    }
)


def result_type(op: str, types: Sequence[Type]) -> Type:
    """The type of an operator's result."""
    if op in _COMPARE or op in _LOGIC or op in _PREDICATES or op == "logical_not":
        return "bool"
    if op == "where":
        return join(types[1:])
    joined = join(types)
    word = OPERATORS.get(op)
    is_float = op in _FLOAT_FUNCTIONS or (word is not None and word.dtype == "float")
    return floating(joined) if is_float else joined


def refusal(op: str, types: Sequence[Type]) -> str | None:
    """Why an operator cannot be had on these types, or None."""
    joined = join(types)
    if op in _BITWISE or op == "invert":
        return None if joined == "bool" else f"{op} is compiled for booleans only"
    if op in ("floor", "ceil", "trunc", "round", "sign", "clip", "power", "reciprocal", "relu"):
        return None if joined in FLOATS else f"{op} is compiled for floats only"
    if op in ("subtract", "negative") and joined == "bool":
        return f"{op} of booleans is no NumPy operator"
    if op in ("add", "multiply", "accumulate", "maximum", "minimum", "square") and joined == "bool":
        return f"{op} is compiled for numbers only"
    if op in _FLOAT_FUNCTIONS and joined == "bool":
        return f"{op} of booleans is half precision in NumPy, which is not compiled"
    return None


def lane(op: str, operands: Sequence[Expr], kind: Type) -> Expr:
    """The expression of an equation whose result has type `kind`."""
    if op in _INFIX:
        return _binary(*_INFIX[op], operands, kind)
    if op in _COMPARE:
        common = join(operand.type for operand in operands)
        common = {"weak int": "int64_t", "weak float": "double", "weak bool": "bool"}.get(common, common)
        return Expr(_binary(*_COMPARE[op], operands, common).text, "bool", _COMPARE[op][1])
    if op in _LOGIC or op in _BITWISE:
        symbol, precedence = (_LOGIC | _BITWISE)[op]
        return _binary(symbol, precedence, [_truth(operand) for operand in operands], "bool")
    if op in _SPECIAL:
        return _SPECIAL[op](operands, kind)
    if op in _PREDICATES:
        (x,) = operands
        return Expr(f"pb::{op}({x.to(floating(x.type)).text})", "bool")
    return _call(op, operands, kind)


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
