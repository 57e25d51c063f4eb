"""The rules of a valid program of a kernel. Tests check the programs that lowering and each pass make.

Names are declared before they are read, where they are seen, and no two that are seen are one; the
runtime has the functions that are called. A list of passes has as many as it says, of as many rows, and is
run in the block that makes it. An element is of a row that its space reads, stored in one that it gives.
A launch has one pass that only writes or only reduces, or passes over rows, and collects what it reduces.

>>> from .expressions import Name, ask, rank
>>> from .statements import Do, Let
>>> made = Let("x", ask("input", 0, of="T"))
>>> check_block([made, Do(ask("output_value", 0, rank("x")))])
>>> check_block([Do(ask("output_value", 0, rank("x")))])
Traceback (most recent call last):
...
pullback.transpile.verify.InvalidIR: `x` is read before it is declared
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..verify import InvalidIR
from .expressions import Call, Entry, Expression, Name, every
from .runtime import is_function
from .statements import (
    Alike,
    Collect,
    FlatCall,
    FlatLoop,
    For,
    If,
    InSpace,
    KernelProgram,
    Launch,
    Let,
    NewList,
    Passes,
    Reduce,
    RunPasses,
    Scope,
    Space,
    Statement,
    Store,
    Variable,
    own_expressions,
)


def check(program: KernelProgram) -> KernelProgram:
    """The program itself, where it is valid. Raises InvalidIR."""
    check_block(program.body, program.flat)
    if program.likely is not None:
        check_block(program.likely)
    if program.flat is not None:
        flat = program.flat
        _elements(flat.body, {name for name, _ in flat.inputs}, [name for name, _ in flat.outputs], set())
    return program


def check_block(
    statements: Sequence[Statement], flat: FlatLoop | None = None, known: Collection[str] = ("context",)
) -> None:
    """Raise InvalidIR where statements are no valid block after what is `known`."""
    seen = set(known)
    listed: dict[str, Passes] = {}
    spaces: dict[str, list[Space]] = {}
    for statement in statements:
        _expressions(own_expressions(statement), seen)
        if isinstance(statement, Let | Variable | NewList):
            _declare(statement.name, seen)
        elif isinstance(statement, If):
            check_block(statement.then, flat, seen)
            check_block(statement.otherwise or (), flat, seen)
        elif isinstance(statement, For):
            check_block(statement.body, flat, {*seen, statement.name})
        elif isinstance(statement, Alike):
            check_block(statement.body, flat, seen)
        elif isinstance(statement, Passes):
            _declare(statement.name, seen)
            listed[statement.name] = statement
        elif isinstance(statement, RunPasses):
            _run(listed.pop(statement.name, None), spaces.get(statement.name, []))
        elif isinstance(statement, Launch):
            _launch(statement, seen)
            check_block(statement.otherwise, flat, seen)
        for space in statement.body if isinstance(statement, Scope) else [statement]:
            if isinstance(space, Space):
                _require(space.passes in listed, f"a pass of `{space.passes}`, which is no list of passes")
                spaces.setdefault(space.passes, []).append(space)
                _space(space, flat, seen)
    _require(not listed, f"nobody runs the passes {sorted(listed)}")


def _require(holds: bool, why: str) -> None:
    if not holds:
        raise InvalidIR(why)


def _declare(name: str, seen: set[str]) -> None:
    _require(name not in seen, f"`{name}` is declared twice")
    seen.add(name)


def _expressions(expressions: Iterable[Expression], seen: Collection[str]) -> None:
    for whole in expressions:
        for part in every(whole):
            if isinstance(part, Name):
                _require(part.name in seen, f"`{part.name}` is read before it is declared")
            elif isinstance(part, Call):
                _require(is_function(part.function), f"the runtime has no function `{part.function}`")


def _run(passes: Passes | None, spaces: Sequence[Space]) -> None:
    _require(passes is not None, "passes are run that are no list of this block")
    assert passes is not None
    rows = sum(len(space.reads) + len(space.sinks) for space in spaces)
    same = (passes.count, passes.operands) == (len(spaces), rows)
    _require(same, f"`{passes.name}` has {len(spaces)} passes of {rows} rows in all")


def _launch(launch: Launch, seen: set[str]) -> None:
    for space in launch.body:
        _space(space, None, seen)
        reduced = [sink for sink in space.sinks if isinstance(sink, Reduce)]
        collected = [each.sink for each in space.body if isinstance(each, Collect)]  # type: ignore[union-attr]
        _require(len(collected) == len(reduced), f"`{launch.name}` stores what it reduces")
        wanted = {"entries": 0, "fibres": max(1, len(reduced))}.get(launch.over, len(reduced))
        _require(len(reduced) == wanted, f"`{launch.name}` is for {launch.over}, which it is not made of")
    _require(launch.over == "rows" or len(launch.body) == 1, f"`{launch.name}` has several passes")
    _require(bool(launch.columns) == bool(launch.otherwise), f"`{launch.name}` has columns, and no other way")


def _space(space: Space, flat: FlatLoop | None, seen: set[str]) -> None:
    _expressions(own_expressions(space), seen)
    reads, sinks = [read.name for read in space.reads], [sink.name for sink in space.sinks]
    _require(len({*reads, *sinks}) == len(reads) + len(sinks), "two rows of a pass have one name")
    if isinstance(space.body, FlatCall):
        called = {name for name, _ in (*space.body.inputs, *space.body.outputs)}
        _require(flat is not None and called == {*reads, *sinks}, "a pass calls a loop of other rows")
        return
    sourced = {sink.name for sink in space.sinks if getattr(sink, "source", None) is not None}
    looped = {read.name for read in space.reads if read.looped}
    _elements(space.body, looped, [name for name in sinks if name not in sourced], seen)


def _elements(
    body: Sequence[InSpace], reads: Collection[str], sinks: Sequence[str], seen: Collection[str]
) -> None:
    """Check the statements for an element: each row that is given gets one."""
    inside = set(seen)
    stored: list[str] = []
    for statement in body:
        _expressions([statement.value], inside)
        for part in every(statement.value):
            if isinstance(part, Entry):
                _require(part.row in reads, f"an element of `{part.row}`, which the pass does not read")
        if isinstance(statement, Let):
            _declare(statement.name, inside)
        else:
            stored.append(statement.row if isinstance(statement, Store) else _name_of(statement))
    _require(sorted(stored) == sorted(sinks), f"a pass stores {stored}, and gives {list(sinks)}")


def _name_of(statement: Collect) -> str:
    return statement.sink.name
