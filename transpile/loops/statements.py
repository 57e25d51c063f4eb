"""Statements of a kernel's program: what is declared, asked for, looped over and called, in order.

=============  ======================================================================
``Let``        a name for a value that stays
``Variable``   a name for a value that changes
``NewList``    a list of so many elements, which are set later
``Assign``     another value for a variable or an element
``Require``    a refusal, unless a condition holds
``Do``         a function of the runtime that is called for what it does
``If``         statements by a condition
``For``        statements for each number below a count
``Guard``      one statement by a condition
``Return``     the end of the kernel
``Scope``      statements whose names nobody else sees
``Alike``      all of a kernel of several passes, where its arrays have one shape
``Passes``     a list of so many passes over memory, of so many rows in all, to be run together
``Space``      one pass: a loop over a broadcast shape, with what it reads, writes and reduces
``RunPasses``  the passes of a list run
``Launch``     passes that are one kernel of a graphics processor
=============  ======================================================================

In a space stand ``Let`` and

=============  ======================================================================
``Store``      an element of the row that is written
``Collect``    a term of a sum, product, maximum or minimum
=============  ======================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Literal as OneOf

from ..ir import Span
from ..records import record
from .expressions import DataType, Expression
from .expressions import every as every_part
from .expressions import names as names_in


@record(frozen=True, slots=True)
class Let:
    """A name for a value that stays; where the type is not given, the value's own."""

    name: str
    value: Expression
    type: DataType | None = None
    reference: bool = False
    array: bool = False
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class Variable:
    """A name for a value that changes; without a value it is that of its type, zero or empty."""

    name: str
    type: DataType
    value: Expression | None = None
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class NewList:
    """A list of so many elements, which are set later."""

    name: str
    type: DataType
    count: Expression
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class Assign:
    """Another value for a variable or an element."""

    target: Expression
    value: Expression
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class Require:
    """A refusal of this kind, unless a condition holds: of arguments ("INVALID"), or of a case."""

    condition: Expression
    why: str
    kind: str = "UNSUPPORTED"


@record(frozen=True, slots=True)
class Do:
    """A function of the runtime that is called for what it does."""

    call: Expression
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class Return:
    """The end of the kernel, or the way of it that is called instead."""

    way: str = ""


@record(frozen=True, slots=True)
class Guard:
    """One statement by a condition."""

    condition: Expression
    then: Do | Return


@record(frozen=True, slots=True)
class If:
    """Statements by a condition, all of which must hold."""

    conditions: tuple[Expression, ...]
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] | None = None
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class For:
    """Statements for each number below a count, while a condition holds; from the last one if reversed.

    One that is `of_entries` leaves nothing that a shape may follow from.
    """

    name: str
    count: Expression
    body: tuple[Statement, ...]
    reverse: bool = False
    condition: Expression | None = None
    of_entries: bool = False
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class Scope:
    """Statements whose names nobody else sees."""

    body: tuple[Statement, ...]


@record(frozen=True, slots=True)
class Alike:
    """All of a kernel of several passes, where its arrays have one shape."""

    shapes: tuple[Expression, ...]
    body: tuple[Statement, ...]


@record(frozen=True, slots=True)
class Passes:
    """A list of so many passes over memory, of so many rows in all, to be run together."""

    name: str
    count: int
    operands: int


@record(frozen=True, slots=True)
class RunPasses:
    """The passes of a list run; in units of rows, where a caller may split them."""

    name: str
    units: bool = False


@record(frozen=True, slots=True)
class Read:
    """Rows that a space reads of a view; `once` where there is one element for a whole row."""

    name: str
    type: str
    view: Expression
    once: bool = False
    looped: bool = True


@record(frozen=True, slots=True)
class Write:
    """Rows that a space writes to a view."""

    name: str
    type: str
    view: Expression


@record(frozen=True, slots=True)
class Reduce:
    """Rows that a space reduces to a view: the "sum", "prod", "max" or "min" of terms of this type.

    The view's elements are of the type `into`. A `mean` is divided by their number. One that is `once` gives
    one result for a whole row. Where the terms are a row that is read, as it is, no loop has to compute
    them: it is named by `source`.
    """

    name: str
    op: str
    type: str
    into: str
    view: Expression
    mean: bool = False
    once: bool = False
    source: str | None = None


@record(frozen=True, slots=True)
class Store:
    """An element of the row that is written."""

    row: str
    value: Expression
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class Collect:
    """A term of a reduction that gives one result for a whole row."""

    sink: Reduce
    value: Expression
    span: Span | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class FlatCall:
    """The function `flat` of the kernel does the work of a loop, on these rows in the place of its arrays."""

    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]
    count: int


@record(frozen=True, slots=True)
class Space:
    """A loop over a broadcast shape: what it reads, writes and reduces, and what it does for an element.

    `shape` covers what `covers` lists besides. It goes `by_rows` where something has one element a row;
    `is_long` where what is read next could come while it computes. A flat call stands for its body.
    """

    passes: str
    shape: Expression
    reads: tuple[Read, ...]
    sinks: tuple[Write | Reduce, ...]
    body: tuple[Let | Store | Collect, ...] | FlatCall
    index: str
    covers: tuple[Expression, ...] = ()
    by_rows: bool = False
    is_long: bool = False


@record(frozen=True, slots=True)
class Launch:
    """Passes that are one kernel of a graphics processor, one after the other for each group of `shape`.

    A group is an entry, the fibre of entries that is reduced to one, or a row, of which a pass over another
    shape has one element. All that is reduced is collected. `numbers` are those that it reads, with types.

    Over rows, `columns` are totals over all of them, one for each entry of a row. Then `otherwise` is run
    where rows do not stay in registers, or where such a total turns out to have another shape.
    """

    name: str
    over: OneOf["entries", "fibres", "rows"]
    shape: Expression
    body: tuple[Space, ...]
    numbers: tuple[tuple[str, str], ...] = ()
    columns: tuple[Reduce, ...] = ()
    otherwise: tuple[Statement, ...] = ()


Statement = (
    Let
    | Variable
    | NewList
    | Assign
    | Require
    | Do
    | If
    | For
    | Guard
    | Return
    | Scope
    | Alike
    | Passes
    | Space
    | RunPasses
    | Launch
)


@record(frozen=True, slots=True)
class FlatLoop:
    """The loop of a kernel alone, over arrays of one shape in C order: its arguments, by position."""

    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]
    body: tuple[Let | Store | Collect, ...]
    index: str


@record(frozen=True, slots=True)
class KernelProgram:
    """A kernel: what it takes, and its statements.

    `codes` are the types of its arrays, `attributes` how many numbers it takes, `outputs` how many arrays
    it gives. `flat` is its loop alone, `likely` its statements for shapes as they mostly are.
    """

    name: str
    title: str
    codes: str
    attributes: int
    outputs: int
    body: tuple[Statement, ...]
    flat: FlatLoop | None = None
    likely: tuple[Statement, ...] | None = None


InSpace = Let | Store | Collect


def own_expressions(statement: Statement | InSpace) -> tuple[Expression, ...]:
    """The expressions of a statement, but for those of the statements in it."""
    match statement:
        case Let():
            return (statement.value,)
        case Variable():
            return () if statement.value is None else (statement.value,)
        case NewList():
            return (statement.count,)
        case Assign():
            return statement.target, statement.value
        case Require():
            return (statement.condition,)
        case Do():
            return (statement.call,)
        case Guard():
            return statement.condition, *own_expressions(statement.then)
        case If():
            return statement.conditions
        case For():
            return (statement.count, *(() if statement.condition is None else (statement.condition,)))
        case Alike():
            return statement.shapes
        case Space():
            rows = (*statement.reads, *statement.sinks)
            return (statement.shape, *statement.covers, *(row.view for row in rows))
        case Store() | Collect():
            return (statement.value,)
        case Launch():
            return (statement.shape,)
        case _:
            return ()


def inner(statement: Statement | InSpace) -> tuple[Statement | InSpace, ...]:
    """The statements in a statement."""
    match statement:
        case If():
            return (*statement.then, *(statement.otherwise or ()))
        case Launch():
            return (*statement.body, *statement.otherwise)
        case For() | Scope() | Alike():
            return statement.body
        case Space() if not isinstance(statement.body, FlatCall):
            return statement.body
        case _:
            return ()


def every(statements: Iterable[Statement | InSpace]) -> Iterator[Statement | InSpace]:
    """Statements and all in them, in order."""
    for statement in statements:
        yield statement
        yield from every(inner(statement))


def with_inner(
    statement: Statement, change: Callable[[Sequence[Statement]], tuple[Statement, ...]]
) -> Statement:
    """The statement with those in it changed, where it is a loop or a condition."""
    match statement:
        case For():
            return replace(statement, body=change(statement.body))
        case If():
            otherwise = None if statement.otherwise is None else change(statement.otherwise)
            return replace(statement, then=change(statement.then), otherwise=otherwise)
        case _:
            return statement


def without_elements(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Statements without what launches do for an element: the host's part of them."""
    return tuple(map(_on_host, statements))


def _on_host(statement: Statement) -> Statement:
    match statement:
        case Launch():
            body = tuple(replace(space, body=()) for space in statement.body)
            return replace(statement, body=body, otherwise=without_elements(statement.otherwise))
        case If():
            return with_inner(statement, without_elements)
        case _:
            return statement


def every_expression(statements: Iterable[Statement | InSpace]) -> Iterator[Expression]:
    """All expressions of statements, and what they are made of."""
    for statement in every(statements):
        for expression in own_expressions(statement):
            yield from every_part(expression)


def names_read(statement: Statement, names: Callable[[Expression], Iterator[str]] = names_in) -> set[str]:
    """The names that a statement reads, or anything in it."""
    expressions = (expression for one in every([statement]) for expression in own_expressions(one))
    return {name for expression in expressions for name in names(expression)}
