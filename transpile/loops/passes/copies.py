"""Copies of arrays that nobody reads again: the copy is the array itself.

In: statements. Out: the same, where memory that a block asks for and copies into other memory is that other
memory too, if no statement after the copy reads it, nor anything that may be a view of it.

>>> from ..expressions import ask, run
>>> block = (
...     Let("old", ask("scratch", "n", of="T")),
...     Do(run("fill", "old", "one")),
...     Let("new", ask("scratch", shape("old"), of="T")),
...     Do(run("copy", "old", "new")),
...     Do(run("set_entry", "new", "value", 0)),
... )
>>> [each.call.args[1].name for each in without_copies(block)[1:]]
['old', 'old']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from ..expressions import Ask, Call, Name, shape
from ..statements import (
    Do,
    Let,
    RunPasses,
    Space,
    Statement,
    Variable,
    every,
    names_read,
    with_inner,
)
from .aliases import closed, links, named

T = TypeVar("T")


def without_copies(block: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements without such copies, those in them first."""
    body = tuple(with_inner(statement, without_copies) for statement in block)
    found = _Copies(body)
    for place, statement in enumerate(body):
        found.leave_out(place, statement)
    if not found.same:
        return body
    return _renamed(tuple(one for k, one in enumerate(body) if k not in found.gone), found.same)


class _Copies:
    """The copies of a block that are left out so far: `same` has the memory that other memory is now."""

    def __init__(self, body: Sequence[Statement]) -> None:
        self.memory = {one.name: (k, one.value) for k, one in enumerate(body) if isinstance(one, Let)}
        self.reads = [names_read(one, named) for one in body]  # for more than their shapes
        self.lets = {k for k, one in enumerate(body) if isinstance(one, Let)}
        self.links = [(k, link) for k, one in enumerate(body) for link in links([one])]
        self.own = {one.name for one in every(body) if isinstance(one, Let | Variable)}
        run = {one.name: k for k, one in enumerate(body) if isinstance(one, RunPasses)}
        spaces = (
            (k, one.passes)
            for k, outer in enumerate(body)
            for one in every([outer])
            if isinstance(one, Space)
        )
        self.runs = {k: run[name] for k, name in spaces if name in run}
        self.same: dict[str, str] = {}
        self.gone: set[int] = set()

    def leave_out(self, place: int, statement: Statement) -> None:
        """Leave out a statement that copies what nobody reads again to other memory."""
        call = statement.call if isinstance(statement, Do) else None
        if not isinstance(call, Call) or call.function != "copy":
            return
        old, new = (each.name if isinstance(each, Name) else "" for each in call.args[1:])
        first, second = self._scratch(self._root(old)), self._scratch(new)
        if first is None or second is None or new in self.same or first.of != second.of:
            return
        if second.args != (shape(old),) and second.args != (shape(self._root(old)),):
            return
        if self._is_last(place, self._root(old), new):
            self.same |= {each: self._root(old) for each, root in self.same.items() if root == new}
            self.same[new] = self._root(old)
            self.gone |= {place, self.memory[new][0]}

    def _root(self, name: str) -> str:
        return self.same.get(name, name)

    def _scratch(self, name: str) -> Ask | None:
        value = self.memory[name][1] if name in self.memory else None
        return value if isinstance(value, Ask) and value.method == "scratch" else None

    def _is_last(self, place: int, old: str, new: str) -> bool:
        """True where the copy is the last that is read of the array, and nothing keeps a view of it."""
        skipped = {*self.gone, place, self.memory[new][0], self.memory[old][0]}
        group = {old, *(name for name, root in self.same.items() if root == old)}
        views = closed(group, [link for k, link in self.links if k not in skipped], self.own)
        if views is None:
            return False
        for k, names in enumerate(self.reads):
            late = k > place or self.runs.get(k, -1) > place
            if k in skipped or (late and names.isdisjoint(views)) or (not late and new not in names):
                continue
            if late or k not in self.lets:
                return False
        return all(new not in self.reads[k] for k, ran in self.runs.items() if k < place < ran)


def _renamed(part: T, env: Mapping[str, str]) -> T:
    """A statement, or a part of one, that reads an array under another name."""
    if isinstance(part, Name):
        return replace(part, name=env.get(part.name, part.name))
    if isinstance(part, tuple):
        return tuple(_renamed(each, env) for each in part)  # type: ignore[return-value]  # of the same types
    if not is_dataclass(part) or isinstance(part, type):
        return part
    values = {each.name: getattr(part, each.name) for each in fields(part)}
    changed = {name: made for name, old in values.items() if (made := _renamed(old, env)) is not old}
    return replace(part, **changed) if changed else part
