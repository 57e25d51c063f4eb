"""A pass over a broadcast space as C++: its rows, its loop and the statements for an element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...loops.expressions import Braces
from ...loops.statements import Collect, FlatCall, FlatLoop, InSpace, Let, Reduce, Space, Store, Write
from .comments import Comments
from .expressions import number_text, text_of, type_text, words_of
from .lines import assignment, indented, wrap


class _Way(NamedTuple):
    """The runtime's name of a reduction, OpenMP's, a loop's functions for a term and a total, the start."""

    name: str
    operator: str
    collect: str
    join: str
    first: float


_WAYS = {
    "sum": _Way("Sum", "+", "sum", "add", 0),
    "prod": _Way("Prod", "*", "product", "multiply", 1),
    "max": _Way("Max", "max", "largest", "raise", float("-inf")),
    "min": _Way("Min", "min", "smallest", "lower", float("inf")),
}


def space_lines(space: Space, comments: Comments, depth: int) -> list[str]:
    """The lines of a pass at this depth of blocks."""
    lines = [f"pb::Space& space = {space.passes}.space({text_of(space.shape)});"]
    lines += [f"space.cover({text_of(shape)});" for shape in space.covers]
    kinds = [(read.name, f"const {read.type}") for read in space.reads]
    kinds += [(sink.name, sink.type) for sink in space.sinks]
    lines += [
        f"static constexpr pb::Rows<{kind}> {name}_rows{{{k}}};" for k, (name, kind) in enumerate(kinds)
    ]
    for read in space.reads:
        head = f"space.{'read_once' if read.once else 'read'}("
        lines += wrap("", head, [f"{read.name}_rows", text_of(read.view)], ");", depth)
    for sink in space.sinks:
        lines += _sink(sink, depth)
    if isinstance(space.body, FlatCall):
        return [*lines, *_each("space.each([=](pb::Loop& loop) {", _flat_call(space.body))]
    if not space.body:
        return [*lines, "space.no_loop();"]
    lines += ["space.computes_long();"] if space.is_long else []
    head = "space.each_row([=](auto& loop) {" if space.by_rows else "space.each([=](pb::Loop& loop) {"
    return [*lines, *_each(head, _loop(space, comments, depth))]


def flat_lines(flat: FlatLoop, comments: Comments) -> list[str]:
    """The loop of a kernel alone, as a function."""
    return [
        "// The loop alone, for arrays of one shape in C order.",
        "template <typename T>",
        "PB_ONCE static void flat(const void* const* inputs, void* const* outputs, int64_t size) {",
        *(f"    const T* {name} = static_cast<const T*>(inputs[{k}]);" for name, k in flat.inputs),
        *(f"    T* {name}_row = static_cast<T*>(outputs[{k}]);" for name, k in flat.outputs),
        "    PB_SIMD",
        *indented(_counted(flat.index, "size", element_lines(flat.body, flat.index, comments, 3))),
        "}",
    ]


def _sink(sink: Write | Reduce, depth: int) -> list[str]:
    rows, view = f"{sink.name}_rows", text_of(sink.view)
    if isinstance(sink, Write):
        return wrap("", "space.write(", [rows, view], ");", depth)
    reduce = "reduce_once" if sink.once else "reduce"
    head = f"space.{reduce}<pb::{_WAYS[sink.op].name}<{sink.type}>>("
    lines = wrap("", head, [rows, view, *(["true"] if sink.mean else [])], ");", depth)
    return lines if sink.source is None else [*lines, f"space.terms({rows}, {sink.source}_rows);"]


def _each(head: str, lines: Sequence[str]) -> list[str]:
    return [head, "    while (loop.next()) {", *(f"        {line}" for line in lines), "    }", "});"]


def _flat_call(call: FlatCall) -> list[str]:
    return [
        f"const void* inputs[{call.count}] = {{}};",
        f"void* outputs[{len(call.outputs)}];",
        *(f"inputs[{position}] = loop.row({name}_rows);" for name, position in call.inputs),
        *(f"outputs[{position}] = loop.row({name}_rows);" for name, position in call.outputs),
        "flat<T>(inputs, outputs, loop.size);",
    ]


def _loop(space: Space, comments: Comments, depth: int) -> list[str]:
    """The rows of a stretch, totals, and the loop over its elements."""
    lines = []
    for read in space.reads:
        if read.looped:
            row = f"auto {read.name} = loop.once" if read.once else f"{read.type}* {read.name} = loop.row"
            lines.append(f"const {row}({read.name}_rows);")
    looped = [sink for sink in space.sinks if isinstance(sink, Write) or sink.source is None]
    lines += [f"{sink.type}* {sink.name}_row = loop.row({sink.name}_rows);" for sink in looped]
    totals = [sink for sink in looped if isinstance(sink, Reduce) and sink.once]
    lines += [line for total in totals for line in _begin(total)]
    clauses = " ".join(_clauses(totals))
    lines += wrap("", "PB_SIMD_OVER(", [clauses], ")", depth) if totals else ["PB_SIMD"]
    body = element_lines(space.body, space.index, comments, depth + 3)
    lines += _counted(space.index, "loop.size", body)
    return [*lines, *map(_finish, totals)]


def _counted(index: str, size: str, body: Sequence[str]) -> list[str]:
    return [f"for (int64_t {index} = 0; {index} < {size}; ++{index}) {{", *indented(body), "}"]


def element_lines(
    statements: FlatCall | tuple[InSpace, ...],
    index: str,
    comments: Comments,
    depth: int,
    collect: Callable[[Collect, str, int], list[str]] | None = None,
) -> list[str]:
    """The statements for one element, at this depth of blocks; `collect` prints terms of totals."""
    assert not isinstance(statements, FlatCall)
    lines: list[str] = []
    for statement in statements:
        lines += comments.of(statement.span)
        if isinstance(statement, Let):
            assert statement.type is not None
            name = f"const {type_text(statement.type)} {statement.name}"
            lines += assignment(name, words_of(statement.value), depth)
        elif isinstance(statement, Store):
            lines += assignment(f"{statement.row}_row[{index}]", words_of(statement.value), depth)
        else:
            lines += (collect or _collect)(statement, index, depth)
    return lines


def is_extreme(sink: Reduce) -> bool:
    """True for the largest or the smallest term, which a NaN overrules."""
    return sink.op in ("max", "min")


def _begin(sink: Reduce) -> list[str]:
    """The declarations of a row's total."""
    if is_extreme(sink):
        first = number_text(_WAYS[sink.op].first, sink.type)
        return [f"{sink.type} {sink.name}_total = {first};", f"int {sink.name}_nans = 0;"]
    return [f"{total_type(sink)} {sink.name}_total = {_WAYS[sink.op].first};"]


def total_type(sink: Reduce) -> str:
    """The type of a sum or product under way."""
    whole = sink.type in ("int64_t", "bool")
    return "int64_t" if whole else sink.type if sink.op in ("sum", "max", "min") else "double"


def _clauses(sinks: Sequence[Reduce]) -> list[str]:
    """The OpenMP clauses that say which variables of a loop are totals."""
    found: dict[str, list[str]] = {}
    for sink in sinks:
        found.setdefault(_WAYS[sink.op].operator, []).append(f"{sink.name}_total")
        if is_extreme(sink):
            found.setdefault("|", []).append(f"{sink.name}_nans")
    return [f"reduction({operator} : {', '.join(names)})" for operator, names in found.items()]


def _collect(statement: Collect, index: str, depth: int) -> list[str]:
    """The statement that takes a term in; the type of a literal would be another one where it is deduced."""
    sink, value = statement.sink, statement.value
    total = f"{sink.name}_total"
    term = text_of(Braces((value,), "int64_t") if sink.type == "int64_t" else value)
    arguments = [total, f"{sink.name}_row + {index}", term]
    lines = wrap(total, f"loop.{_WAYS[sink.op].collect}(", arguments, ");", depth)
    text = text_of(value)
    return [*lines, f"{sink.name}_nans |= {text} != {text};"] if is_extreme(sink) else lines


def _finish(sink: Reduce) -> str:
    """The statement behind a row."""
    nans = f", {sink.name}_nans" if is_extreme(sink) else ""
    return f"loop.{_WAYS[sink.op].join}({sink.name}_rows, {sink.name}_total{nans});"
