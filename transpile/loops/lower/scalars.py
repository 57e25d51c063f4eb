"""Operators of one element as expressions.

`lane` gives the expression of an equation from those of its operands, and
`result_type` the type that NumPy would give it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...operators import OPERATORS
from ...operators.info import Scalar as Rule
from ...passes.kernel.types import FLOATS, Type, floating, join, stored
from ...records import record
from ..expressions import Braces, Call, Choice, Convert, Entry, Expression, Infix, Number, Prefix


@record(frozen=True, slots=True)
class Scalar:
    """A number as an expression of a type; None is one that is left out. `literal` is its value, if known.

    `large` is an integer of any size.
    """

    node: Expression
    type: Type
    literal: object = None
    large: bool = False

    def to(self, target: Type) -> Scalar:
        """The number converted to a type."""
        if isinstance(self.literal, int | float):
            return Scalar(Number(self.literal, stored(target)), target)
        same = stored(self.type) == stored(target)
        return Scalar(self.node if same else Convert(stored(target), self.node), target, large=self.large)


def literal(value: object, kind: Type) -> Scalar:
    """A number that is known."""
    assert isinstance(value, int | float), value
    return Scalar(Number(value, stored(kind)), kind, value)


ABSENT = Scalar(Braces(()), "none")

# Symbols that stand between operands.
_INFIX = frozenset(["*", "/", "+", "-", "<", "<=", ">", ">=", "==", "!=", "&", "|"])

# Operators that kernels compute entry by entry, as the table says.
_SCALARS: dict[str, tuple[Rule, str]] = {
    name: (operator.scalar, operator.scalar.cpp)
    for name, operator in OPERATORS.items()
    if operator.scalar is not None
}
POINTWISE = frozenset(_SCALARS)
WHOLE = ("int64_t", "weak int")
FROM_SCIPY = frozenset(name for name, (scalar, _) in _SCALARS.items() if scalar.special)


def kinds_of(op: str) -> tuple[str, ...]:
    """The kinds of an operator that has a function for each.

    >>> kinds_of("elliptic_integral")
    ('B', 'D')
    """
    return tuple(kind for kind, _ in _SCALARS[op][0].kinds)


def result_type(op: str, types: Sequence[Type]) -> Type:
    """The type of an operator's result."""
    operator, (scalar, _) = OPERATORS[op], _SCALARS[op]
    if operator.dtype == "bool":
        return "bool"
    if op == "where":
        return join(types[1:])
    if _is_double(scalar, types):
        return "double"
    joined = join(types)
    return floating(joined) if operator.dtype == "float" or scalar.takes == "float" else joined


def _is_double(scalar: Rule, types: Sequence[Type]) -> bool:
    """True where SciPy has no loop for float32 that takes these."""
    if scalar.double == "degree":
        return types[0] == "weak int"
    return scalar.double == "always" or (
        scalar.double == "numbers" and any(t.startswith("weak") for t in types)
    )


def refusal(op: str, types: Sequence[Type], exponent: object = None) -> str | None:
    """The reason why an operator cannot be had on these types, or None. `exponent` is a power's, if known."""
    joined, (scalar, _) = join(types), _SCALARS[op]
    if scalar.of == "powers" and joined not in FLOATS:
        whole = isinstance(exponent, int) and not isinstance(exponent, bool) and exponent >= 0
        known = "power of integers is compiled for an exponent that is known and not negative"
        return None if whole and types[0] == "int64_t" else known
    if scalar.of == "bools":
        return None if joined == "bool" else f"{op} is compiled for booleans only"
    if scalar.of == "floats":
        return None if joined in FLOATS else f"{op} is compiled for floats only"
    if scalar.double == "always" and types[0] not in WHOLE:
        return f"{op} of a degree that is no whole number is no SciPy function"
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


def lane(op: str, operands: Sequence[Scalar], kind: Type) -> Scalar:
    """The expression of an equation whose result has type `kind`."""
    rule, name = _SCALARS[op]
    if name in _INFIX:
        return _infix(name, rule.takes, operands, kind)
    if op in _SPECIAL:
        return _SPECIAL[op](operands, kind)
    if OPERATORS[op].dtype == "bool":
        (x,) = operands
        return Scalar(Call(name, (x.to(floating(x.type)).node,)), "bool")
    if rule.kinds:
        *operands, which = operands
        assert isinstance(which.literal, int), which
        name = rule.kinds[which.literal][1]
    return _call(name, operands, kind)


def _infix(operator: str, takes: str, operands: Sequence[Scalar], kind: Type) -> Scalar:
    """A symbol between two operands that are converted to what it takes."""
    if takes == "promote":
        common = stored(join(operand.type for operand in operands))
        return Scalar(_binary(operator, operands, common).node, "bool")
    if takes == "truth":
        return _binary(operator, [truth(operand) for operand in operands], "bool")
    return _binary(operator, operands, kind)


def _binary(operator: str, operands: Sequence[Scalar], kind: Type) -> Scalar:
    left, right = (operand.to(kind).node for operand in operands)
    return Scalar(Infix(operator, left, right), kind)


def _call(name: str, operands: Sequence[Scalar], kind: Type) -> Scalar:
    nodes = [operand.to(kind).node for operand in operands]
    if stored(kind) == "int64_t":
        # A literal would be of another type where types are deduced.
        nodes = [Braces((one,), "int64_t") if isinstance(one, Number) else one for one in nodes]
    return Scalar(Call(name, tuple(nodes)), kind)


def truth(operand: Scalar) -> Scalar:
    """True where a number is not zero."""
    if stored(operand.type) == "bool":
        return operand
    return Scalar(Infix("!=", operand.node, Number(0, stored(operand.type))), "bool")


def _negative(operands: Sequence[Scalar], kind: Type) -> Scalar:
    return Scalar(Prefix("-", operands[0].to(kind).node), kind)


def _same(operands: Sequence[Scalar], kind: Type) -> Scalar:
    return operands[0].to(kind)


def _not(operands: Sequence[Scalar], kind: Type) -> Scalar:
    return Scalar(Prefix("!", truth(operands[0]).node), "bool")


def _reciprocal(operands: Sequence[Scalar], kind: Type) -> Scalar:
    return _binary("/", [literal(1, kind), operands[0]], kind)


def _where(operands: Sequence[Scalar], kind: Type) -> Scalar:
    condition, x, y = truth(operands[0]).node, operands[1].to(kind).node, operands[2].to(kind).node
    if isinstance(x, Entry) or isinstance(y, Entry):
        # An element that is read in any case: what is read by a condition may not be vectorized.
        name = "where_stored" if isinstance(condition, Entry) else "where"
        return Scalar(Call(name, (condition, x, y), stored(kind)), kind)
    return Scalar(Choice(condition, x, y), kind)


def _clip(operands: Sequence[Scalar], kind: Type) -> Scalar:
    x, low, high = operands
    result = x.to(kind)
    if low.type != "none":
        result = _call("maximum", [result, low], kind)
    if high.type != "none":
        result = _call("minimum", [result, high], kind)
    return result


def _power(operands: Sequence[Scalar], kind: Type) -> Scalar:
    base, exponent = operands
    known: dict[object, Callable[[], Scalar]] = {
        2: lambda: _call("square", [base], kind),
        1: lambda: base.to(kind),
        0.5: lambda: _call("sqrt", [base], kind),
        -1: lambda: _reciprocal([base], kind),
    }
    if exponent.literal in known and not isinstance(exponent.literal, bool):
        return known[exponent.literal]()
    return _call("power", operands, kind)


def _of_order(op: str, order: int, name: str) -> Callable[[Sequence[Scalar], Type], Scalar]:
    """An operator whose most frequent order has a function of its own, which loops vectorize."""

    def known_order(operands: Sequence[Scalar], kind: Type) -> Scalar:
        known = operands[1].literal == order
        return _call(name, operands[:1], kind) if known else _call(op, operands, kind)

    return known_order


_SPECIAL: dict[str, Callable[[Sequence[Scalar], Type], Scalar]] = {
    "negative": _negative,
    "positive": _same,
    "stop_gradient": _same,
    "conj": _same,
    "real": _same,
    "astype": _same,
    "logical_not": _not,
    "invert": _not,
    "reciprocal": _reciprocal,
    "where": _where,
    "clip": _clip,
    "power": _power,
    "relu": lambda operands, kind: _call("maximum", [operands[0], literal(0, "weak int")], kind),
    "polygamma": _of_order("polygamma", 1, "trigamma"),
    "bessel_i": _of_order("bessel_i", 2, "bessel_i2"),
    "sinc_derivative": _of_order("sinc_derivative", 1, "sinc_slope"),
    "round": lambda operands, kind: _call("round", operands[:1], kind),
}
