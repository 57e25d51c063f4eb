"""Costly passes of several gradients taken apart, so that one alone may be computed.

In: statements. Out: the same with a pass of its own for sums to the shapes of outputs that share no function
that costs as much as an exponential. Such are the gradients of operands that broadcast. A caller may need no
more than some of them, and passes that nobody needs are not run. Where all are needed the passes go through
memory together.

>>> from ..expressions import Entry, Name, ask, call
>>> from ..statements import Let, Passes, Read, Reduce, RunPasses, Space, Store
>>> views = [Let(f"{name}_view", ask("output", k)) for k, name in enumerate("ab")]
>>> sinks = tuple(Reduce(name, "sum", "T", "T", Name(f"{name}_view")) for name in "ab")
>>> body = Store("a", call("sin", Entry("x"))), Store("b", Entry("y"))
>>> reads = tuple(Read(name, "T", Name(f"{name}_view")) for name in "xy")
>>> space = Space("passes", Name("shape"), reads, sinks, body, "i")
>>> block = separated([*views, Passes("passes", 1, 4), space, RunPasses("passes")])
>>> block[2], [(scope.body[0].reads[0].name, scope.body[0].sinks[0].name) for scope in block[3:5]]
(Passes(name='passes', count=2, operands=4), [('x', 'a'), ('y', 'b')])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...operators import OPERATORS
from ...operators.pointwise import EXPONENTIAL
from ..expressions import Call, Entry, Name, every, names
from ..runtime import is_output
from ..statements import (
    FlatCall,
    InSpace,
    Let,
    Passes,
    Reduce,
    Scope,
    Space,
    Statement,
    Store,
    Write,
)

# Functions of kernels that cost so much; one of unknown cost does.
_COSTLY = frozenset(
    operator.scalar.cpp
    for operator in OPERATORS.values()
    if operator.scalar is not None and (operator.cost is None or operator.cost >= EXPONENTIAL)
)


def separated(block: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements with costly passes taken apart."""
    outputs = {one.name for one in block if isinstance(one, Let) and is_output(one.value)}
    found: list[Statement] = []
    more: Counter[str] = Counter()
    operands: Counter[str] = Counter()
    for statement in block:
        space = statement.body[0] if isinstance(statement, Scope) else statement
        spaces = _parts(space, outputs) if isinstance(space, Space) else ()
        if len(spaces) < 2:
            found.append(statement)
            continue
        assert isinstance(space, Space)
        found += [Scope((one,)) for one in spaces]
        more[space.passes] += len(spaces) - 1
        operands[space.passes] += sum(map(_operands, spaces)) - _operands(space)
    return tuple(
        Passes(one.name, one.count + more[one.name], one.operands + operands[one.name])
        if isinstance(one, Passes)
        else one
        for one in found
    )


def _operands(space: Space) -> int:
    return len(space.reads) + len(space.sinks)


def _parts(space: Space, outputs: set[str]) -> list[Space]:
    """The pass, or several in its place."""
    apart = all(isinstance(sink, Reduce) and not sink.once for sink in space.sinks)
    are_outputs = all(isinstance(sink.view, Name) and sink.view.name in outputs for sink in space.sinks)
    if isinstance(space.body, FlatCall) or not apart or not are_outputs:
        return [space]
    body = space.body
    costly = {k for k, statement in enumerate(body) if _is_costly(statement)}
    groups: list[tuple[set[int], set[int]]] = []  # statements of sinks, and which sinks those are
    for place, sink in enumerate(space.sinks):
        needs = _statements_of(sink, body)
        shared = [group for group in groups if _belong(group[0] & costly, needs & costly)]
        groups = [group for group in groups if group not in shared]
        groups.append((needs.union(*(g[0] for g in shared)), {place}.union(*(g[1] for g in shared))))
    groups.sort(key=lambda group: min(group[1]))
    return [_part(space, body, *group) for group in groups]


def _belong(some: set[int], others: set[int]) -> bool:
    """True where outputs share something costly, or none of them is."""
    return bool(some & others) or not (some or others)


def _is_costly(statement: InSpace) -> bool:
    calls = (part for part in every(statement.value) if isinstance(part, Call))
    return any(part.function in _COSTLY for part in calls)


def _statements_of(sink: Write | Reduce, body: Sequence[InSpace]) -> set[int]:
    """The statements that compute an output."""
    found: set[int] = set()
    read: set[str] = set()
    for k in reversed(range(len(body))):
        statement = body[k]
        written = isinstance(statement, Store) and statement.row == sink.name
        if written or (isinstance(statement, Let) and statement.name in read):
            found.add(k)
            read.update(names(statement.value))
    return found


def _part(space: Space, body: Sequence[InSpace], statements: set[int], places: set[int]) -> Space:
    """The pass of some outputs."""
    kept = tuple(statement for k, statement in enumerate(body) if k in statements)
    sinks = tuple(sink for k, sink in enumerate(space.sinks) if k in places)
    looped = {part.row for one in kept for part in every(one.value) if isinstance(part, Entry)}
    reduced = {sink.source for sink in sinks if isinstance(sink, Reduce)}
    reads = tuple(
        replace(read, looped=read.name in looped) for read in space.reads if read.name in looped | reduced
    )
    return replace(space, reads=reads, sinks=sinks, body=kept, by_rows=any(read.once for read in reads))
