"""Loops that compute entries alone left out while shapes are worked out, where nobody knows the entries.

In: statements. Out: the same, where a loop that says so, and that only reads, computes and writes entries of
arrays which are there before it, runs when the kernel does, and not when its shapes are asked for.

>>> from ..expressions import node, run
>>> from ..statements import Do, Let
>>> body = Let("x", run("entry", "a_view", "i"), "T"), Do(run("set_entry", "b_view", "x", "i"))
>>> found = for_shapes([For("i", node(9), body, of_entries=True)])
>>> [type(statement).__name__ for statement in found]
['If']
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expressions import Ask, Call, Element, Expression, Method, Prefix, ask, every
from ..statements import (
    Assign,
    Do,
    For,
    If,
    Let,
    Statement,
    Variable,
    own_expressions,
    with_inner,
)
from ..statements import every as every_statement
from .aliases import NUMBERS

_OF_ENTRIES = ("entry", "set_entry", "copy", "fill")


def for_shapes(block: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements, with a condition around loops over entries; those of such a loop stay as they are."""
    return tuple(_conditional(statement) for statement in block)


def _conditional(statement: Statement) -> Statement:
    if isinstance(statement, For) and statement.of_entries and _computes_entries(statement.body):
        return If((Prefix("!", ask("dry")),), (statement,), span=statement.span)
    return with_inner(statement, for_shapes)


def _computes_entries(body: Sequence[Statement]) -> bool:
    """True where statements only read, compute and write entries."""
    return all(_is_of_entries(statement) for statement in every_statement(body))  # type: ignore[arg-type]


def _is_of_entries(statement: Statement) -> bool:
    if not all(map(_asks_nothing, own_expressions(statement))):
        return False
    match statement:
        case Let() | Variable():
            return statement.type in NUMBERS
        case Do():
            return isinstance(statement.call, Call) and statement.call.function in _OF_ENTRIES
        case Assign():
            is_view = isinstance(statement.value, Method)
            return isinstance(statement.target, Element) or not is_view
        case If():
            return True
        case For():
            return statement.of_entries
        case _:
            return False


def _asks_nothing(expression: Expression) -> bool:
    """True where nothing is asked of the call but whether it is for shapes."""
    return all(not isinstance(part, Ask) or part.method == "dry" for part in every(expression))
