"""Writes into an array that a loop carries, in place of a new array for each iteration.

In: statements. Out: the same, where an iteration that copies a carried array, writes to a part of the copy
and carries it on writes to one array, which is copied once, before the loop. Nothing of the iteration may
read what it was after that, or keep a view of it.

>>> from ..expressions import ask, call
>>> loop = For("i", Name("n"), (
...     Let("new", ask("scratch", shape("old"), of="T")),
...     Let("part", run("take", "new", call("at", "i"))),
...     Do(run("copy", "old", "new")),
...     Do(run("copy", "value", "part")),
...     Assign(Name("old"), read_only("new")),
... ))
>>> [type(each).__name__ for each in with_writes_in_place([loop])]
['Let', 'Do', 'Assign', 'For']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..expressions import Ask, Name, read_only, run, shape
from ..statements import (
    Assign,
    Do,
    For,
    Let,
    RunPasses,
    Space,
    Statement,
    Variable,
    every,
    with_inner,
)
from .aliases import reads, views_of


def with_writes_in_place(block: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements whose loops write into what they carry, those in them first."""
    found: list[Statement] = []
    for statement in block:
        statement = with_inner(statement, with_writes_in_place)
        if isinstance(statement, For):
            body = statement.body
            for once in list(_copies(body)):
                if _is_alone(body, *once):
                    found += once
                    body = tuple(each for each in body if all(each is not other for other in once))
            statement = replace(statement, body=body)
        found.append(statement)
    return tuple(found)


def _copies(body: Sequence[Statement]) -> Iterator[tuple[Let, Do, Assign]]:
    """The statements by which an iteration copies an array of before the loop, which it carries on."""
    own = {each.name for each in body if isinstance(each, Variable)}
    for let in body:
        if not isinstance(let, Let) or not isinstance(let.value, Ask) or let.value.method != "scratch":
            continue
        for assign in body:
            if not isinstance(assign, Assign) or assign.value != read_only(let.name):
                continue
            if isinstance(assign.target, Name) and assign.target.name in own:
                continue
            copy = run("copy", assign.target, let.name)
            copies = [each for each in body if isinstance(each, Do) and each.call == copy]
            if copies and let.value.args == (shape(assign.target),):
                yield let, copies[0], assign


def _is_alone(body: Sequence[Statement], let: Let, copy: Do, assign: Assign) -> bool:
    """True where nothing reads the array after the copy, nor keeps a view of either."""
    left_out = {id(let), id(copy), id(assign)}
    others = [each for each in body if id(each) not in left_out]
    assert isinstance(assign.target, Name)
    old, new = views_of(others, assign.target.name), views_of(others, let.name)
    if old is None or new is None:
        return False
    place = next(k for k, each in enumerate(body) if each is copy)
    early = [each for each in body[:place] if id(each) not in left_out]
    late = [each for each in body[place:] if id(each) not in left_out]
    run_late = {each.name for each in late if isinstance(each, RunPasses)}
    spaces = [each for each in every(early) if isinstance(each, Space)]
    return not (
        any(space.passes in run_late and reads(space, old | new) for space in spaces)
        or any(reads(each, old) for each in every(late))
        or any(reads(each, new) for each in every(early) if not isinstance(each, Let))
    )
