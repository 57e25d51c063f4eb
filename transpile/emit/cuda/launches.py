"""Launches as templates of CUDA C++, over the type of floats and that of indices."""

from __future__ import annotations

from collections.abc import Iterator

from ...ir import Source
from ...loops.expressions import Expression
from ...loops.schedules.cuda import numbers, operands
from ...loops.statements import Collect, KernelProgram, Launch, Reduce, Space
from ..cpp.comments import Comments
from ..cpp.expressions import text_of
from ..cpp.lines import indented, wrap
from ..cpp.spaces import element_lines, total_type

_JOINS = {"sum": "Sum", "prod": "Product", "max": "Largest", "min": "Smallest"}


def kernel_lines(launch: Launch, program: KernelProgram, source: Source) -> list[str]:
    """The template of a launch."""
    views = operands(launch)
    # What one pass of a launch stores, the next may read.
    alone = " __restrict__" if len(launch.body) == 1 else ""
    parameters = [
        f"const pb::Space<{len(views)}>& space",
        *(f"{'' if v.written else 'const '}{v.type}*{alone} pb_of_{v.name}" for v in views),
        *(f"{kind} {name}" for name, kind in numbers(launch, program)),
        *(["const pb::Work& pb_work"] if launch.over == "fibres" else []),
    ]
    places = {view.view: (place, view.name) for place, view in enumerate(views)}
    comments = Comments(source)
    return [
        "template <typename T, typename pb_index>",
        *wrap("", f"__device__ __forceinline__ void {launch.name}(", parameters, ") {", depth=0),
        *indented(list(_loop(launch, places, comments))),
        "}",
    ]


def _loop(launch: Launch, places: dict[Expression, tuple[int, str]], comments: Comments) -> Iterator[str]:
    """The loop over groups."""
    if launch.over == "entries":
        (space,) = launch.body
        yield from _rows(space, places)
        yield "for (pb::Entries<pb_index> loop(space); loop.more(); loop.next()) {"
        yield f"    const auto {space.index} = pb::place(space, loop.entry);"
        yield from indented(element_lines(space.body, space.index, comments, 2))
        yield "}"
        return
    yield "for (pb::Fibres<pb_index> loop(space); loop.more(); loop.next()) {"
    yield "    const auto pb_group = pb::place(space, loop.group());"
    for number, space in enumerate(launch.body):
        of_row = space.shape != launch.shape and launch.over == "rows"
        lines = [
            *_rows(space, places),
            *(_once(space, comments) if of_row else _fibre(space, launch, comments)),
        ]
        if len(launch.body) == 1:
            yield from indented(lines)
            continue
        yield "    {"
        yield from indented(indented(lines))
        yield "    }"
        if number + 1 < len(launch.body):
            yield "    loop.wait();"
    yield "}"


def _rows(space: Space, places: dict[Expression, tuple[int, str]]) -> Iterator[str]:
    """The rows of a pass, by the names that its elements have for them."""
    for read in space.reads:
        place, name = places[read.view]
        yield f"const pb::Row<const {read.type}, {place}> {read.name}{{pb_of_{name}}};"
    for sink in space.sinks:
        place, name = places[sink.view]
        kind = sink.into if isinstance(sink, Reduce) else sink.type
        yield f"const pb::Row<{kind}, {place}> {sink.name}_row{{pb_of_{name}}};"


def _once(space: Space, comments: Comments) -> Iterator[str]:
    """A pass that has one element of a row."""
    yield "if (loop.is_first()) {"
    yield f"    const auto& {space.index} = pb_group;"
    yield from indented(element_lines(space.body, space.index, comments, 4))
    yield "}"


def _fibre(space: Space, launch: Launch, comments: Comments) -> Iterator[str]:
    """A pass over a fibre: totals, the loop, and what is made of them."""
    totals = [sink for sink in space.sinks if isinstance(sink, Reduce)]
    for sink in totals:
        kind = total_type(sink)
        yield f"{kind} {sink.name}_total = pb::{_JOINS[sink.op]}::first<{kind}>();"
    yield "for (pb_index pb_step = loop.begin(); pb_step < loop.length; pb_step += loop.step()) {"
    yield f"    const auto {space.index} = pb::place(space, pb_group, pb_step);"
    yield from indented(element_lines(space.body, space.index, comments, 3, _collect))
    yield "}"
    for number, sink in enumerate(totals):
        work = f", pb_work, {number}" if launch.over == "fibres" else ""
        yield f"if (loop.joined({sink.name}_total, pb::{_JOINS[sink.op]}(){work})) {{"
        mean = " / loop.length" if sink.mean else ""
        yield f"    {sink.name}_row[pb_group] = static_cast<{sink.into}>({sink.name}_total{mean});"
        yield "}"


def _collect(statement: Collect, index: str, depth: int) -> list[str]:
    """The statement that takes a term of a total in."""
    sink = statement.sink
    total = f"{sink.name}_total"
    return wrap(total, f"pb::{_JOINS[sink.op]}::of(", [total, text_of(statement.value)], ");", depth)
