"""Names under which the statements of a block read an array: its own, and those of views of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..expressions import Expression, Member, Name, parts
from ..statements import Assign, Let, Statement, Variable, every, own_expressions

# The types of what is no view of an array.
NUMBERS = ("T", "float", "double", "int64_t", "bool", "unsigned", "Shape")


Link = tuple[str | None, frozenset[str]]


def links(body: Sequence[Statement]) -> list[Link]:
    """Each name that a statement gives, with those that it reads and may be a view of; None for no name."""
    found: list[Link] = []
    for each in every(body):
        value = each.value if isinstance(each, (Let, Variable, Assign)) else None
        if value is None or (isinstance(each, Let) and each.type in NUMBERS):
            continue
        target = each.target if isinstance(each, Assign) else Name(each.name)  # type: ignore[union-attr]  # as asked
        found.append((target.name if isinstance(target, Name) else None, frozenset(named(value))))
    return found


def closed(views: set[str], known: Sequence[Link], own: set[str]) -> set[str] | None:
    """Names with all that may be views of theirs; None where one is in a list, or none of the `own`."""
    found, size = set(views), 0
    while size < len(found):
        size = len(found)
        for target, read in known:
            if found.isdisjoint(read):
                continue
            if target is None or target not in own:
                return None
            found.add(target)
    return found


def views_of(body: Sequence[Statement], array: str) -> set[str] | None:
    """The names of an array and of what may be a view of it; None where one outlives the block."""
    own = {each.name for each in every(body) if isinstance(each, (Let, Variable))}
    return closed({array}, links(body), own)


def reads(statement: object, views: set[str]) -> bool:
    """True where it names one of the views, for more than its shape."""
    return any(not views.isdisjoint(named(each)) for each in own_expressions(statement))  # type: ignore[arg-type]  # any


def named(expression: Expression) -> Iterator[str]:
    """The names in an expression but for those whose shape it asks."""
    if isinstance(expression, Name):
        yield expression.name
    if not (isinstance(expression, Member) and expression.field == "shape"):
        for part in parts(expression):
            yield from named(part)
