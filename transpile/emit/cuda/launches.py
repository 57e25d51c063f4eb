"""Launches as templates of CUDA C++, over the type of floats and that of indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial

from ...ir import Source
from ...loops.expressions import Expression
from ...loops.schedules.launches import operands, packs_of_thread, registers, row_reads, waits
from ...loops.statements import Collect, Launch, Reduce, Space, Write
from ..cpp.comments import Comments
from ..cpp.expressions import text_of
from ..cpp.lines import indented, wrap
from ..cpp.spaces import element_lines, total_type

# The number of each view's operand, and its name.
_Places = dict[Expression, tuple[int, str]]
_JOINS = {"sum": "Sum", "prod": "Product", "max": "Largest", "min": "Smallest"}


def kernel_lines(launch: Launch, source: Source) -> list[str]:
    """The template of a launch."""
    views = operands(launch)
    # What one pass of a launch stores, the next may read; nothing stores to what is only read.
    is_alone = len(launch.body) == 1
    is_of_rows = launch.over == "rows"
    parameters = [
        f"const pb::Space<{len(views)}>& space",
        *(
            f"{'' if v.written else 'const '}{v.type}*"
            f"{'' if v.written and not is_alone else ' __restrict__'} pb_of_{v.name}"
            for v in views
        ),
        *(f"{kind} {name}" for name, kind in launch.numbers),
        *(["const pb::Work& pb_work"] if has_work(launch) else []),
    ]
    places = {view.view: (place, view.name) for place, view in enumerate(views)}
    comments = Comments(source)
    return [
        f"template <typename T, typename pb_index, int pb_width{', int pb_packs' * is_of_rows}>",
        *wrap("", f"__device__ __forceinline__ void {launch.name}(", parameters, ") {", depth=0),
        *indented(list(_loop(launch, places, comments))),
        "}",
    ]


def has_work(launch: Launch) -> bool:
    """True where blocks have memory for parts of totals."""
    return launch.over == "fibres" or bool(launch.columns)


def joined_lines(launch: Launch, types: Mapping[str, str], width: int) -> Iterator[str]:
    """The body of the kernel that joins the parts of columns; `types` stand for those of its text."""
    names = {view.view: view.name for view in operands(launch)}
    for number, sink in enumerate(launch.columns):
        kind = types.get(total_type(sink), total_type(sink))
        joined = f"pb::join_columns<pb::{_JOINS[sink.op]}, {kind}, {width}>"
        yield f"{joined}(space, pb_work, {number}, pb_of_{names[sink.view]});"


def _loop(launch: Launch, places: _Places, comments: Comments) -> Iterator[str]:
    """The loop over groups."""
    if launch.over == "entries":
        (space,) = launch.body
        kinds = f"pb_index, {packs_of_thread(launch)}"
        yield f"for (pb::Entries<{kinds}> loop(space); loop.more(); loop.next()) {{"
        yield "    const auto pb_places = loop.places(space);"
        for place, name in dict.fromkeys(places[read.view] for read in space.reads):
            ahead = f"pb::ahead<pb_width, {place}>(pb_of_{name}, space, pb_places)"
            yield f"    const auto pb_row_of_{name} = {ahead};"
        yield "    PB_UNROLLED"
        yield "    for (const auto& pb_place : pb_places.of) {"
        yield from indented(indented(list(_packs(space, places, comments, {}))))
        yield "    }"
        yield "}"
        return
    packs = "pb_packs" if launch.over == "rows" else "0"
    for sink in launch.columns:
        kinds = f"{total_type(sink)}, pb::{_JOINS[sink.op]}, pb_width, pb_packs"
        yield f"pb::Columns<{kinds}> {sink.name}_columns;"
    yield f"for (pb::Fibres<pb_index, {packs}> loop(space); loop.more(); loop.next()) {{"
    yield "    const auto pb_group = pb::place(space, loop.group());"
    if launch.over == "fibres":
        yield from indented(list(_fibre(launch.body[0], places, comments)))
    else:
        yield from indented(list(_passes(launch, places, comments)))
    yield "}"
    for number, sink in enumerate(launch.columns):
        yield f"{sink.name}_columns.store(space, pb_work, {number});"


def _passes(launch: Launch, places: _Places, comments: Comments) -> Iterator[str]:
    """Passes over a row, one after the other."""
    held = {view: f"pb_value_of_{places[view][1]}" for view in registers(launch)}
    yield from (f"{kind} {held[view]};" for view, kind in registers(launch).items())
    columns = {*launch.columns}
    for space, reads, is_awaited in zip(launch.body, row_reads(launch), waits(launch), strict=True):
        for read in reads.values:
            place, name = places[read.view]
            held[read.view] = f"pb_value_of_{name}"
            yield f"const {read.type} pb_value_of_{name} = pb_of_{name}[pb_group.of[{place}]];"
        yield from (_read(*places[read.view]) for read in reads.ahead)
        yield "{"
        yield from (f"    {_read(*places[read.view])}" for read in reads.again)
        if space.shape == launch.shape:
            yield from indented(list(_row(space, places, comments, held, columns)))
        else:
            yield from indented(list(_once(space, places, comments, held)))
        yield "}"
        if is_awaited:
            yield "loop.wait();"


def _read(place: int, name: str) -> str:
    """The values of a row that a thread reads ahead of the passes over it."""
    return f"const auto pb_row_of_{name} = pb::row<pb_width, {place}>(pb_of_{name}, space, loop, pb_group);"


def _packs(
    space: Space,
    places: _Places,
    comments: Comments,
    held: Mapping[Expression, str] | None = None,
    columns: Set[Reduce] = frozenset(),
    store: str = "store_apart",
) -> Iterator[str]:
    """Entries that a thread reads, computes with and writes at once; `held` are the values of a row."""
    for read in space.reads:
        place, name = places[read.view]
        value = f"pb_row_of_{name}[pb_place]"
        if held is None:
            value = f"pb::loaded<pb_width, {place}>(pb_of_{name}, space, pb_place)"
        elif (register := held.get(read.view)) is not None:
            value = f"pb::Same<{read.type}>{{{register}}}"
        yield f"const auto {read.name} = {value};"
    written = [sink for sink in space.sinks if not isinstance(sink, Reduce)]
    yield from (f"pb::Pack<{sink.type}, pb_width> {sink.name}_row;" for sink in written)
    yield "PB_UNROLLED"
    yield f"for (int {space.index} = 0; {space.index} < pb_width; ++{space.index}) {{"
    yield from indented(element_lines(space.body, space.index, comments, 5, partial(_collect, columns)))
    yield "}"
    for sink in written:
        place, name = places[sink.view]
        yield f"pb::{store}<{place}>({sink.name}_row, pb_of_{name}, space, pb_place);"


def _once(space: Space, places: _Places, comments: Comments, held: Mapping[Expression, str]) -> Iterator[str]:
    """A pass that has one element of a row, which all threads of the row compute."""
    for read in space.reads:
        place, name = places[read.view]
        register = held.get(read.view)
        if register is not None:
            yield f"const pb::Same<{read.type}> {read.name}{{{register}}};"
        else:
            yield f"const pb::Row<const {read.type}, {place}> {read.name}{{pb_of_{name}}};"
    yield from (f"pb::Same<{sink.type}> {sink.name}_row{{}};" for sink in space.sinks)
    yield f"const auto& {space.index} = pb_group;"
    yield from element_lines(space.body, space.index, comments, 3)
    for sink in space.sinks:
        value, register = f"{sink.name}_row.value", held.get(sink.view)
        if register is not None:
            yield f"{register} = {value};"
        yield f"if (loop.is_first()) {_sink(sink, sink.type, places)}[pb_group] = {value};"


def _row(
    space: Space,
    places: _Places,
    comments: Comments,
    held: Mapping[Expression, str],
    columns: Set[Reduce],
) -> Iterator[str]:
    """A pass over a row, and its totals."""
    totals = [sink for sink in space.sinks if isinstance(sink, Reduce) and sink not in columns]
    yield from _collected(space, totals, places, comments, held, columns)
    for sink in totals:
        value, register = _value(sink), held.get(sink.view)
        yield f"const bool {sink.name}_first = loop.joined({sink.name}_total, pb::{_JOINS[sink.op]}());"
        if register is not None:
            yield f"{register} = {value};"
        yield f"if ({sink.name}_first) {_sink(sink, sink.into, places)}[pb_group] = {value};"


def _fibre(space: Space, places: _Places, comments: Comments) -> Iterator[str]:
    """A pass over a fibre, and its totals."""
    totals = [sink for sink in space.sinks if isinstance(sink, Reduce)]
    yield from _collected(space, totals, places, comments)
    for number, sink in enumerate(totals):
        yield f"if (loop.joined({sink.name}_total, pb::{_JOINS[sink.op]}(), pb_work, {number})) {{"
        yield f"    {_sink(sink, sink.into, places)}[pb_group] = {_value(sink)};"
        yield "}"


def _collected(
    space: Space,
    totals: Sequence[Reduce],
    places: _Places,
    comments: Comments,
    held: Mapping[Expression, str] | None = None,
    columns: Set[Reduce] = frozenset(),
) -> Iterator[str]:
    """Totals of a fibre, as far as a thread has them."""
    for sink in totals:
        kind = total_type(sink)
        yield f"{kind} {sink.name}_total = pb::{_JOINS[sink.op]}::first<{kind}>();"
    yield "loop.each(space, pb_group, [&](const auto& pb_place) {"
    store = "store_apart" if held is None else "store"
    yield from indented(list(_packs(space, places, comments, held, columns, store)))
    yield "});"


def _value(sink: Reduce) -> str:
    """The value that is made of a total."""
    mean = " / (loop.length * pb_width)" if sink.mean else ""
    return f"static_cast<{sink.into}>({sink.name}_total{mean})"


def _sink(sink: Write | Reduce, kind: str, places: _Places) -> str:
    """The elements of what is written for a row."""
    place, name = places[sink.view]
    return f"pb::Sink<{kind}, {place}>{{pb_of_{name}}}"


def _collect(columns: Set[Reduce], statement: Collect, index: str, depth: int) -> list[str]:
    """The statement that takes a term of a total in."""
    sink = statement.sink
    if sink in columns:
        terms = [index, text_of(statement.value), "pb_place"]
        return wrap("", f"{sink.name}_columns.take(", terms, ");", depth)
    total = f"{sink.name}_total"
    terms = [total, text_of(statement.value), "pb_place"]
    return wrap(total, f"pb::joined<pb::{_JOINS[sink.op]}>(", terms, ");", depth)
