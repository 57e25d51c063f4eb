"""The rows of a launch: its operands, what stays in registers, what is read ahead, where threads wait."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..expressions import Expression
from ..statements import Launch, Read, Reduce, Space


@dataclass(frozen=True, slots=True)
class Operand:
    """A view that a launch goes over: rows of one type, of which some are `written`."""

    name: str
    type: str
    view: Expression
    written: bool


def operands(launch: Launch) -> list[Operand]:
    """The views of a launch, each once, by the name of its first row."""
    found: dict[Expression, Operand] = {}
    for space in launch.body:
        for row in (*space.reads, *space.sinks):
            kind = row.into if isinstance(row, Reduce) else row.type
            before = found.get(row.view)
            written = not isinstance(row, Read)
            if before is None:
                taken = {operand.name for operand in found.values()}
                name = row.name
                while name in taken:
                    name += "_"
                found[row.view] = Operand(name, kind, row.view, written)
            elif written:
                found[row.view] = replace(before, written=True)
    return list(found.values())


def packs_of_thread(launch: Launch) -> int:
    """The packs of entries that a thread reads at once: two, where one would not keep memory busy."""
    return 2 if sum(len(space.reads) for space in launch.body) <= 2 else 1


def registers(launch: Launch) -> dict[Expression, str]:
    """Views with one element of a row that later passes read, with its type: it stays in a register."""
    found: dict[Expression, str] = {}
    for number, space in enumerate(launch.body):
        later = _read(launch.body[number + 1 :])
        for sink in space.sinks:
            if isinstance(sink, Reduce) and sink.view in later:
                found[sink.view] = sink.into
            elif space.shape != launch.shape and sink.view in later:
                found[sink.view] = sink.type
    return found


@dataclass(frozen=True, slots=True)
class RowReads:
    """The reads ahead of a pass over rows.

    values   one element for a whole row, for this pass and later ones
    ahead    the entries of a row, for this pass and later ones
    again    the entries that an earlier pass has written, for this pass alone
    """

    values: list[Read]
    ahead: list[Read]
    again: list[Read]


def row_reads(launch: Launch) -> list[RowReads]:
    """The reads ahead of each pass of a launch over rows."""
    written = {sink.view for space in launch.body for sink in space.sinks}
    done = set(registers(launch))
    found = []
    for space in launch.body:
        reads = {read.view: read for read in space.reads if space.shape == launch.shape}
        new = [read for view, read in reads.items() if view not in done]
        fixed = [read for read in new if read.view not in written]
        done |= {read.view for read in fixed}
        values, ahead = ([read for read in fixed if read.once is once] for once in (True, False))
        found.append(RowReads(values, ahead, [read for read in new if read.view in written]))
    return found


def waits(launch: Launch) -> list[bool]:
    """For each pass, if threads of a row wait after it: what was written is read from memory later."""
    in_registers = registers(launch).keys()
    found, written = [], set()
    for number, space in enumerate(launch.body):
        written |= {sink.view for sink in space.sinks} - in_registers
        found.append(not written.isdisjoint(_read(launch.body[number + 1 :])))
    return found


def _read(spaces: Iterable[Space]) -> set[Expression]:
    return {read.view for space in spaces for read in space.reads}
