"""Expressions of a kernel's program: numbers, shapes, views and elements, as small frozen records.

============  =======================================================================
``Name``      the name of a declaration, a parameter or a loop
``Number``    a number of a type
``Text``      a text
``Constant``  a constant of the runtime
``Entry``     the element of a row that the loop is at
``Prefix``    ``-x`` or ``!x``
``Infix``     ``x + y`` and its like
``Choice``    one of two, by a condition
``Convert``   a number in another type
``New``       a value of a type, made of others
``Braces``    several values in a row
``Call``      a function of the runtime, see `runtime`
``Ask``       a value that the call of a kernel gives: an input, memory for an output, an attribute
``Member``    a field of a value
``Method``    a method of a value
``Element``   an element of a list
``SizeOf``    the number of bytes that a type takes
============  =======================================================================

Types are those of `types`, or one of ``Shape``, ``Index``, ``Picked``, a view, a list.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..records import record


@record(frozen=True, slots=True)
class ViewOf:
    """The type of an array's view that is only read."""

    element: str


@record(frozen=True, slots=True)
class ListOf:
    """The type of a list."""

    element: DataType


DataType = str | ViewOf | ListOf


@record(frozen=True, slots=True)
class Name:
    """The name of a declaration, a parameter or a loop."""

    name: str


@record(frozen=True, slots=True)
class Number:
    """A number of a type."""

    value: bool | int | float
    type: str


@record(frozen=True, slots=True)
class Text:
    """A text."""

    value: str


@record(frozen=True, slots=True)
class Constant:
    """A constant of the runtime."""

    name: str


@record(frozen=True, slots=True)
class Entry:
    """The element of a row that the loop is at, by its counter."""

    row: str
    index: str = "i"


@record(frozen=True, slots=True)
class Prefix:
    """An operator before its operand: ``-`` or ``!``."""

    operator: str
    operand: Expression


@record(frozen=True, slots=True)
class Infix:
    """An operator between its operands, which is evaluated from the left."""

    operator: str
    left: Expression
    right: Expression


@record(frozen=True, slots=True)
class Choice:
    """One of two, by a condition; the other is not evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression


@record(frozen=True, slots=True)
class Convert:
    """A number in another type."""

    type: str
    value: Expression


@record(frozen=True, slots=True)
class New:
    """A value of a type, made of others."""

    type: DataType
    args: tuple[Expression, ...] = ()


@record(frozen=True, slots=True)
class Braces:
    """Several values in a row; of a type, where it has one."""

    items: tuple[Expression, ...]
    type: DataType | None = None


@record(frozen=True, slots=True)
class Call:
    """A function of the runtime, for a type where it has one."""

    function: str
    args: tuple[Expression, ...]
    of: DataType | None = None


@record(frozen=True, slots=True)
class Ask:
    """A value that the call of a kernel gives: an input, memory for an output, an attribute."""

    method: str
    args: tuple[Expression, ...]
    of: DataType | None = None


@record(frozen=True, slots=True)
class Member:
    """A field of a value."""

    owner: Expression
    field: str


@record(frozen=True, slots=True)
class Method:
    """A method of a value."""

    owner: Expression
    method: str
    args: tuple[Expression, ...] = ()


@record(frozen=True, slots=True)
class Element:
    """An element of a list."""

    owner: Expression
    index: Expression


@record(frozen=True, slots=True)
class SizeOf:
    """The number of bytes that a type takes."""

    type: str


Leaf = Name | Number | Text | Constant | Entry | SizeOf
Expression = Leaf | Prefix | Infix | Choice | Convert | New | Braces | Call | Ask | Member | Method | Element

CONTEXT = Name("context")
NO_SHAPE = Braces((), "Shape")

Operand = Expression | str | bool | int


def node(value: Operand) -> Expression:
    """A name or a number as an expression; an expression as it is.

    >>> node("x"), node(2), node(True)
    (Name(name='x'), Number(value=2, type='int64_t'), Number(value=True, type='bool'))
    """
    if isinstance(value, str):
        return Name(value)
    if isinstance(value, bool | int):
        return Number(value, "bool" if isinstance(value, bool) else "int64_t")
    return value


def call(function: str, *args: Operand, of: DataType | None = None) -> Call:
    """A call of a function that needs nothing but its arguments."""
    return Call(function, tuple(map(node, args)), of)


def run(function: str, *args: Operand, of: DataType | None = None) -> Call:
    """A call of a function that is given the context, for memory and errors."""
    return Call(function, (CONTEXT, *map(node, args)), of)


def ask(method: str, *args: Operand, of: DataType | None = None) -> Ask:
    """A value that the call of the kernel gives."""
    return Ask(method, tuple(map(node, args)), of)


def shape(view: Operand) -> Member:
    """The shape of a view."""
    return Member(node(view), "shape")


def rank(of_shape: Operand) -> Member:
    """The number of axes of a shape."""
    return Member(node(of_shape), "ndim")


def read_only(view: Operand) -> Method:
    """A view, only read from here on."""
    return Method(node(view), "read_only")


def braces(*items: Operand) -> Braces:
    """Several values in a row."""
    return Braces(tuple(map(node, items)))


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that one is made of.

    >>> parts(Infix("+", Name("x"), Name("y")))
    (Name(name='x'), Name(name='y'))
    """
    match expression:
        case Prefix():
            return (expression.operand,)
        case Infix():
            return expression.left, expression.right
        case Choice():
            return expression.condition, expression.then, expression.otherwise
        case Convert():
            return (expression.value,)
        case New() | Call() | Ask():
            return expression.args
        case Braces():
            return expression.items
        case Member():
            return (expression.owner,)
        case Method():
            return expression.owner, *expression.args
        case Element():
            return expression.owner, expression.index
        case _:
            return ()


def every(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of."""
    yield expression
    for part in parts(expression):
        yield from every(part)


def size(expression: Expression) -> int:
    """The number of expressions that one is made of, itself included."""
    return sum(1 for _ in every(expression))


def names(expression: Expression) -> Iterator[str]:
    """The names that an expression reads, each as often as it stands there.

    >>> list(names(call("broadcast", "x", Infix("+", Name("y"), Entry("x")))))
    ['x', 'y', 'x', 'i']
    """
    for part in every(expression):
        if isinstance(part, Name):
            yield part.name
        elif isinstance(part, Entry):
            yield part.row
            yield part.index
