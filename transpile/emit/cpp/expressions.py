"""Expressions as C++, in words between which a line may break."""

from __future__ import annotations

from collections.abc import Sequence

from ...loops.expressions import (
    Ask,
    Braces,
    Call,
    Choice,
    Constant,
    Convert,
    DataType,
    Element,
    Entry,
    Expression,
    Infix,
    ListOf,
    Member,
    Method,
    Name,
    New,
    Number,
    Prefix,
    SizeOf,
    Text,
    ViewOf,
)

Words = list[str]

# C++'s precedences: a lower one binds tighter.
ATOM, UNARY, CHOICE, ALL = 1, 3, 16, 17
_INFIX = {
    "*": 5,
    "/": 5,
    "+": 6,
    "-": 6,
    "<<": 7,
    "<": 9,
    "<=": 9,
    ">": 9,
    ">=": 9,
    "==": 10,
    "!=": 10,
    "&": 11,
    "|": 13,
    "&&": 14,
    "||": 15,
}
_OF_RUNTIME = frozenset({"Shape", "Index", "Picked"})


def text_of(expression: Expression) -> str:
    """An expression on one line.

    >>> text_of(Infix("*", Infix("+", Name("x"), Entry("y")), Number(2, "T")))
    '(x + y[i]) * T(2)'
    """
    return " ".join(words_of(expression))


def operand_text(expression: Expression, operator: str) -> str:
    """An expression on one line, in parentheses where this operator beside it needs them.

    >>> operand_text(Infix("||", Name("a"), Name("b")), "&&")
    '(a || b)'
    """
    return " ".join(_within(expression, _INFIX[operator] + 1))


def type_text(kind: DataType) -> str:
    """A type.

    >>> type_text(ListOf(ListOf(ViewOf("T"))))
    'pb::List<pb::List<pb::View<const T>>>'
    """
    if isinstance(kind, ViewOf):
        return f"pb::View<const {kind.element}>"
    if isinstance(kind, ListOf):
        return f"pb::List<{type_text(kind.element)}>"
    return f"pb::{kind}" if kind in _OF_RUNTIME else kind


def number_text(value: bool | int | float, kind: str) -> str:
    """A number of a type.

    >>> number_text(2, "T"), number_text(0.5, "double"), number_text(float("inf"), "T")
    ('T(2)', '0.5', 'T(__builtin_inf())')
    """
    if kind in ("int64_t", "bool", "unsigned"):
        text = str(value).lower() if isinstance(value, bool) else str(int(value))
        return f"{text}u" if kind == "unsigned" else text
    if value != value:
        text = '__builtin_nan("")'
    elif value in (float("inf"), float("-inf")):
        text = "__builtin_inf()" if value > 0 else "-__builtin_inf()"
    elif kind in ("T", "float") and float(value).is_integer() and abs(value) < 2**24:
        text = "-0.0" if value == 0 and str(value)[0] == "-" else str(int(value))
    else:
        text = repr(float(value))
    return f"{kind}({text})" if kind in ("T", "float") else text


def precedence_of(expression: Expression) -> int:
    """The precedence of the outermost operator."""
    match expression:
        case Infix():
            return _INFIX[expression.operator]
        case Prefix():
            return UNARY
        case Choice():
            return CHOICE
        case Number():
            return ATOM if expression.type == "T" else UNARY
        case _:
            return ATOM


def words_of(expression: Expression) -> Words:
    """An expression in words, a space between each two."""
    match expression:
        case Name():
            return [expression.name]
        case Number():
            return [number_text(expression.value, expression.type)]
        case Text():
            return [quoted(expression.value)]
        case Constant():
            return [f"pb::{expression.name}"]
        case Entry():
            return [f"{expression.row}[{expression.index}]"]
        case SizeOf():
            return [f"sizeof({type_text(expression.type)})"]
        case Prefix():
            return _joined(expression.operator, _within(expression.operand, UNARY))
        case Infix():
            return _infix(expression)
        case Choice():
            condition, then, otherwise = (
                _within(part, CHOICE)
                for part in (expression.condition, expression.then, expression.otherwise)
            )
            return [*condition, "?", *then, ":", *otherwise]
        case Member():
            return _joined(_within(expression.owner, UNARY), f".{expression.field}")
        case Element():
            return _joined(_within(expression.owner, UNARY), "[", words_of(expression.index), "]")
        case Braces():
            head = "" if expression.type is None else type_text(expression.type)
            return _listed(f"{head}{{", expression.items, "}")
        case _:
            head, args = callee(expression)
            return _listed(f"{head}(", args, ")")


def callee(expression: Expression) -> tuple[str, Sequence[Expression]]:
    """The callee of a call and its arguments; empty where an expression is no call."""
    match expression:
        case Call():
            return f"pb::{expression.function}{_template(expression.of)}", expression.args
        case Ask():
            return f"context.{expression.method}{_template(expression.of)}", expression.args
        case Method():
            owner = " ".join(_within(expression.owner, UNARY))
            return f"{owner}.{expression.method}", expression.args
        case New():
            return type_text(expression.type), expression.args
        case Convert() if expression.type == "T":
            return "T", [expression.value]
        case Convert():
            return f"static_cast<{type_text(expression.type)}>", [expression.value]
        case _:
            return "", ()


def quoted(text: str) -> str:
    """A text as C++ has it.

    >>> print(quoted('say "a"'))
    "say \\"a\\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _template(kind: DataType | None) -> str:
    return "" if kind is None else f"<{type_text(kind)}>"


def _infix(expression: Infix) -> Words:
    """Evaluated from the left: a - (b - c) and a * (b * c) keep their parentheses, as NumPy's order."""
    precedence = _INFIX[expression.operator]
    if precedence == _INFIX["=="]:
        precedence = _INFIX["<"]  # compilers warn of comparisons of comparisons
        return [
            *_within(expression.left, precedence),
            expression.operator,
            *_within(expression.right, precedence),
        ]
    if expression.operator in ("&", "|"):  # compilers warn of any other operator within one
        same = isinstance(expression.left, Infix) and expression.left.operator == expression.operator
        left = _within(expression.left, precedence + 1 if same else UNARY + 1)
        return [*left, expression.operator, *_within(expression.right, UNARY + 1)]
    left = _within(expression.left, precedence + 1)
    if expression.operator == "||" and precedence_of(expression.left) == _INFIX["&&"]:
        left = _joined("(", left, ")")  # compilers warn of `&&` within it
    right = _within(expression.right, _INFIX["&&"] if expression.operator == "||" else precedence)
    return [*left, expression.operator, *right]


def _within(expression: Expression, precedence: int) -> Words:
    """The words, in parentheses where an operator of this precedence needs them."""
    words = words_of(expression)
    return words if precedence_of(expression) < precedence else _joined("(", words, ")")


def _listed(head: str, items: Sequence[Expression], tail: str) -> Words:
    """Items with commas between them."""
    words: Words = []
    for position, item in enumerate(items):
        words += _joined(words_of(item), "," if position + 1 < len(items) else "")
    return _joined(head, words, tail)


def _joined(*pieces: str | Words) -> Words:
    """Pieces one after the other without a space, each a text or words."""
    words: Words = []
    for piece in pieces:
        first, *more = (piece or [""]) if isinstance(piece, list) else [piece]
        words = [*words[:-1], words[-1] + first, *more] if words else [first, *more]
    return words
