"""Expressions of C++ with their types, and what a value of a type is declared, saved and brought back as.

>>> x, y = Expr("a + b", "at::Tensor", SUM), name("c", "at::Tensor")
>>> binary("*", x, y).text
'(a + b) * c'
"""

from __future__ import annotations

import math
from dataclasses import dataclass

TENSOR = "at::Tensor"
TENSORS = "std::vector<at::Tensor>"
INT = "int64_t"
DOUBLE = "double"
BOOL = "bool"
INTS = "std::vector<int64_t>"
SIZES = "at::IntArrayRef"  # a view of a tensor's sizes, or of an argument
DOUBLES = "at::ArrayRef<double>"  # a view of an argument
DTYPE = "at::ScalarType"
STRING = "std::string"
LIKE = "Like"
LIKES = "std::vector<Like>"
NONE = "none"
PARTS = "parts"  # a tuple or a slice, which is written where it is read
NUMBERS = (INT, DOUBLE, BOOL)

# How tightly an expression binds: the smaller the tighter.
PRIMARY, UNARY, PRODUCT, SUM, RELATION, EQUALITY, BITS, CHOICE = range(8)
_LEVELS = {
    **dict.fromkeys("*/%", PRODUCT),
    **dict.fromkeys("+-", SUM),
    **dict.fromkeys(("<", "<=", ">", ">="), RELATION),
    **dict.fromkeys(("==", "!="), EQUALITY),
    **dict.fromkeys(("&", "^", "|"), BITS),
}


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression: its text, its type, how tightly it binds, and the elements of what has parts."""

    text: str
    type: str
    level: int = PRIMARY
    parts: tuple[Expr, ...] = ()

    def within(self, level: int) -> str:
        """The text beside operators that bind as tightly as this level."""
        return self.text if self.level <= level else f"({self.text})"


def name(text: str, type: str) -> Expr:
    """A variable."""
    return Expr(text, type)


def binary(symbol: str, first: Expr, second: Expr, type: str = TENSOR) -> Expr:
    """Two operands with an operator between them."""
    level = _LEVELS[symbol]
    if level in (BITS, RELATION, EQUALITY):
        # What compilers warn about stands in brackets.
        return Expr(f"{first.within(UNARY)} {symbol} {second.within(UNARY)}", type, level)
    return Expr(f"{first.within(level)} {symbol} {second.within(level - 1)}", type, level)


def added(first: str, second: str, type: str) -> str:
    """The sum of two parts of a gradient of this type."""
    return f"{'added_lists' if type == TENSORS else 'added'}({first}, {second})"


def declared(type: str) -> str:
    """The type of a variable that holds a value of this type."""
    return {SIZES: INTS, DOUBLES: "std::vector<double>"}.get(type, type)


def packed(value: Expr) -> str:
    """The value as it is put into `saved_data`."""
    if value.type in (LIKE, LIKES) or value.type.startswith("std::vector<"):
        return value.text if value.type == INTS else f"packed({value.text})"
    return value.text


_UNPACKED = {
    INT: "toInt()",
    DOUBLE: "toDouble()",
    BOOL: "toBool()",
    INTS: "toIntVector()",
    SIZES: "toIntVector()",
    DOUBLES: "toDoubleVector()",
    DTYPE: "toScalarType()",
    STRING: "toStringRef()",
}


def unpacked(saved: str, type: str) -> str:
    """The value of an entry of `saved_data`."""
    if type in _UNPACKED:
        return f"{saved}.{_UNPACKED[type]}"
    return f"unpacked<{type}>({saved})"


def joined(types: list[str]) -> str:
    """The type of a variable that is given values of these types; empty where there is none."""
    found = {declared(type) for type in types if type != NONE}
    if len(found) == 1:
        return found.pop()
    if TENSOR in found and found <= {TENSOR, *NUMBERS}:
        return TENSOR
    if found and found <= set(NUMBERS):
        return DOUBLE if DOUBLE in found else INT
    return ""


def quoted(text: str) -> str:
    """A literal of a text.

    >>> print(quoted('say "no" of C:\\\\'))
    "say \\"no\\" of C:\\\\"
    """
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def tuple_of(parts: tuple[Expr, ...]) -> Expr:
    """Values in a row."""
    return Expr(f"{{{', '.join(part.text for part in parts)}}}", PARTS, parts=parts)


def constant(value: object) -> Expr:
    """A constant of the IR."""
    if value is None:
        return Expr("std::nullopt", NONE)
    if value is Ellipsis:
        return Expr("...", PARTS)
    if isinstance(value, bool):
        return Expr("true" if value else "false", BOOL)
    if isinstance(value, int):
        return Expr(str(value), INT, PRIMARY if value >= 0 else UNARY)
    if isinstance(value, float):
        return _of_float(value)
    if isinstance(value, str):
        return Expr(quoted(value), STRING)
    if isinstance(value, slice):
        return Expr("slice", PARTS, parts=tuple(map(constant, (value.start, value.stop, value.step))))
    if isinstance(value, tuple):
        return tuple_of(tuple(map(constant, value)))
    return Expr(repr(value), "unknown")


def _of_float(value: float) -> Expr:
    if math.isnan(value):
        return Expr("std::numeric_limits<double>::quiet_NaN()", DOUBLE)
    if math.isinf(value):
        sign = "-" if value < 0 else ""
        return Expr(f"{sign}std::numeric_limits<double>::infinity()", DOUBLE, UNARY)
    return Expr(repr(value), DOUBLE, PRIMARY if math.copysign(1, value) > 0 else UNARY)
