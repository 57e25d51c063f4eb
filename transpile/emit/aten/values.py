"""Expressions of C++ with their types, and what a value of a type is declared, saved and brought back as.

>>> x, y = expr("a + b", TENSOR, level=SUM), name("c", TENSOR)
>>> binary("*", x, y).text
'(a + b) * c'
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal as OneOf

from .code import Code, Piece, in_row, write

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
PARTS = "parts"  # a tuple, which is written where it is read
SLICE = "slice"  # the same of start, stop and step
DOTS = "dots"  # `...` in an index
NUMBERS = (INT, DOUBLE, BOOL)

# How tightly an expression binds: the smaller the tighter.
PRIMARY, UNARY, PRODUCT, SUM, RELATION, EQUALITY, BITS, CHOICE = range(8)
LEVELS = {
    **dict.fromkeys("*/%", PRODUCT),
    **dict.fromkeys("+-", SUM),
    **dict.fromkeys(("<", "<=", ">", ">="), RELATION),
    **dict.fromkeys(("==", "!="), EQUALITY),
    **dict.fromkeys(("&", "^", "|"), BITS),
}
# Beside these, what compilers warn about stands in brackets.
LOOSE = frozenset({BITS, RELATION, EQUALITY})
# A list in braces of more than names and numbers, among the names of a piece.
COMPOUND_LIST = "{}"


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression.

    code      its text and the names that it reads
    type      its type in C++, or one of those above
    level     how tightly it binds
    parts     the elements of what has parts
    constant  the number, the truth value or the text that it is, else None
    form      what it is of its `operand`: the negative, the opposite, the sizes of the tensor
    """

    code: Code
    type: str
    level: int = PRIMARY
    parts: tuple[Expr, ...] = ()
    constant: float | bool | str | None = None
    form: OneOf["", "-", "!", "sizes"] = ""
    operand: Code | None = None

    @property
    def text(self) -> str:
        return self.code.text

    @property
    def names(self) -> frozenset[str]:
        return self.code.names

    @property
    def is_name(self) -> bool:
        """True for a variable."""
        return self.names == {self.text}

    @property
    def is_negative(self) -> bool:
        """True for what begins with a minus sign."""
        return self.form == "-"

    def within(self, level: int) -> Code:
        """The expression beside operators that bind as tightly as this level."""
        return self.code if self.level <= level else write("({})", self)


def expr(template: str, type: str, *pieces: Piece | str, level: int = PRIMARY) -> Expr:
    """The template with pieces in the place of ``{}``, as an expression of this type."""
    return Expr(write(template, *pieces), type, level)


def call(function: str, *arguments: Piece | str, type: str = TENSOR) -> Expr:
    """A call of a function."""
    return Expr(write("{}({})", function, in_row(arguments)), type)


def method(value: Expr, name: str, *arguments: Piece | str, type: str = TENSOR) -> Expr:
    """A call of a member of a value."""
    return Expr(write(f"{{}}.{name}({{}})", value.within(PRIMARY), in_row(arguments)), type)


def name(text: str, type: str) -> Expr:
    """A variable."""
    return Expr(Code(text, frozenset([text])), type)


def negative(value: Expr, type: str) -> Expr:
    """``-x``; two signs would be one operator of C++."""
    operand = write("({})", value) if value.is_negative else value.within(UNARY)
    return Expr(write("-{}", operand), type, UNARY, form="-", operand=operand)


def opposite(condition: Expr) -> Expr:
    """``!x``; of ``!x`` it is ``x``."""
    if condition.form == "!" and condition.operand is not None:
        return Expr(condition.operand, BOOL)
    operand = condition.within(UNARY)
    return Expr(write("!{}", operand), BOOL, UNARY, form="!", operand=operand)


def binary(symbol: str, first: Expr, second: Expr, type: str = TENSOR) -> Expr:
    """Two operands with an operator between them."""
    level = LEVELS[symbol]
    left, right = (UNARY, UNARY) if level in LOOSE else (level, level - 1)
    return Expr(write(f"{{}} {symbol} {{}}", first.within(left), second.within(right)), type, level)


def braced(parts: Iterable[Expr]) -> Code:
    """``{a, b}``."""
    given = list(parts)
    made = write("{{{}}}", in_row(given))
    simple = all(part.is_name or part.constant is not None for part in given)
    return made if simple else Code(made.text, made.names | {COMPOUND_LIST})


def added(first: Piece | str, second: Piece | str, type: str) -> Expr:
    """The sum of two parts of a gradient of this type."""
    return call("added_lists" if type == TENSORS else "added", first, second, type=type)


def vector_of(element: str) -> str:
    """The type of a list."""
    return f"std::vector<{element}>"


def element_of(type: str) -> str | None:
    """The type of an element of a list; None for what is none."""
    if type.startswith("std::vector<"):
        return type[len("std::vector<") : -1]
    return {SIZES: INT, DOUBLES: DOUBLE}.get(type)


def declared(type: str) -> str:
    """The type of a variable that holds a value of this type."""
    return {SIZES: INTS, DOUBLES: "std::vector<double>"}.get(type, type)


def packed(value: Expr) -> Code:
    """The value as it is put into `saved_data`."""
    listed = element_of(value.type) is not None and value.type not in (INTS, SIZES, DOUBLES)
    return write("packed({})", value) if listed or value.type == LIKE else value.code


_UNPACKED = {
    INT: "toInt",
    DOUBLE: "toDouble",
    BOOL: "toBool",
    INTS: "toIntVector",
    SIZES: "toIntVector",
    DOUBLES: "toDoubleVector",
    DTYPE: "toScalarType",
    STRING: "toStringRef",
}


def unpacked(saved: Code, type: str) -> Code:
    """The value of an entry of `saved_data`."""
    if type in _UNPACKED:
        return write(f"{{}}.{_UNPACKED[type]}()", saved)
    return write("unpacked<{}>({})", type, saved)


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


def saved_data(key: str) -> Code:
    """The entry of `saved_data` of a key."""
    return write("ctx->saved_data[{}]", quoted(key))


def quoted(text: str) -> Code:
    """A literal of a text.

    >>> print(quoted('say "no" of C:\\\\').text)
    "say \\"no\\" of C:\\\\"
    """
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return Code(f'"{text}"')


def tuple_of(parts: tuple[Expr, ...]) -> Expr:
    """Values in a row."""
    return Expr(braced(parts), PARTS, parts=parts)


def slice_of(parts: tuple[Expr, ...]) -> Expr:
    """A slice of start, stop and step."""
    return Expr(Code("slice"), SLICE, parts=parts)


def list_of(parts: tuple[Expr, ...]) -> Expr:
    """A list of tensors."""
    return Expr(write("{}{}", TENSORS, braced(parts)), TENSORS, parts=parts)


def constant(value: object) -> Expr:
    """A constant of the IR."""
    if value is None:
        return Expr(write("std::nullopt"), NONE)
    if value is Ellipsis:
        return Expr(Code("..."), DOTS)
    if isinstance(value, bool):
        return Expr(Code("true" if value else "false"), BOOL, constant=value)
    if isinstance(value, int | float):
        return _of_number(value)
    if isinstance(value, str):
        return Expr(quoted(value), STRING, constant=value)
    if isinstance(value, slice):
        return slice_of(tuple(map(constant, (value.start, value.stop, value.step))))
    if isinstance(value, tuple):
        return tuple_of(tuple(map(constant, value)))
    return Expr(Code(repr(value)), "unknown")


def _of_number(value: float) -> Expr:
    type = INT if isinstance(value, int) else DOUBLE
    if math.isnan(value):
        return Expr(write("std::numeric_limits<double>::quiet_NaN()"), type, constant=value)
    size = abs(value)
    code = write("std::numeric_limits<double>::infinity()") if math.isinf(value) else Code(repr(size))
    if math.copysign(1, value) > 0:
        return Expr(code, type, constant=value)
    return Expr(write("-{}", code), type, UNARY, constant=value, form="-", operand=code)
