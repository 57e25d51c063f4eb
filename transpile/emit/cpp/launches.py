"""The host's part of a launch as C++: its space, its memory and its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ...loops.schedules.launches import operands, packs_of_thread
from ...loops.statements import Launch, Reduce
from .expressions import text_of
from .lines import indented, wrap
from .spaces import is_extreme

_OVER = {"entries": "kEntries", "rows": "kRows", "fibres": "kFibres"}


def launch_lines(launch: Launch, otherwise: Sequence[str], depth: int) -> list[str]:
    """The lines that describe and start a launch, at this depth of blocks; `otherwise` in its place."""
    views = operands(launch)
    reduced = {sink.view: sink for space in launch.body for sink in space.sinks if isinstance(sink, Reduce)}
    columns = {*launch.columns}
    name = "rows" if launch.otherwise else "launch"
    head = f"pb::Launch<{len(views)}, {len(launch.numbers)}> {name}("
    arguments = ["context", f'"{launch.name}"', f"pb::Over::{_OVER[launch.over]}", text_of(launch.shape)]
    lines = wrap("", head, arguments, ");", depth)
    for view in views:
        sink = reduced.get(view.view)
        of = "reads" if not view.written else "writes" if sink is None else "reduces"
        of = "sums_columns" if sink in columns else of
        is_bare = sink is not None and is_extreme(sink) and sink not in columns
        lines += wrap("", f"{name}.{of}(", [text_of(view.view), *["false"] * is_bare], ");", depth)
    lines += [f"{name}.number({number});" for number, _ in launch.numbers]
    if launch.over == "entries" and (packs := packs_of_thread(launch)) > 1:
        lines.append(f"{name}.takes({packs});")
    if not launch.otherwise:
        return [*lines, f"{name}.start<T>();"]
    return [*lines, f"if (!{name}.start<T>()) {{", *indented(otherwise), "}"]
