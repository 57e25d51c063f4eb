"""The host's part of a launch as C++: its space, its memory and its numbers."""

from __future__ import annotations

from ...loops.schedules.cuda import operands
from ...loops.statements import Launch, Reduce
from .expressions import text_of
from .lines import wrap
from .spaces import is_extreme

_OVER = {"entries": "kEntries", "rows": "kRows", "fibres": "kFibres"}


def launch_lines(launch: Launch, depth: int) -> list[str]:
    """The lines that describe and start a launch, at this depth of blocks."""
    views = operands(launch)
    reduced = {sink.view: sink for space in launch.body for sink in space.sinks if isinstance(sink, Reduce)}
    head = f"pb::Launch<{len(views)}, {len(launch.numbers)}> launch("
    arguments = ["context", f'"{launch.name}"', f"pb::Over::{_OVER[launch.over]}", text_of(launch.shape)]
    lines = wrap("", head, arguments, ");", depth)
    for view in views:
        sink = reduced.get(view.view)
        of = "reads" if not view.written else "writes" if sink is None else "reduces"
        given = [text_of(view.view), *(["false"] if sink is not None and is_extreme(sink) else [])]
        lines += wrap("", f"launch.{of}(", given, ");", depth)
    lines += [f"launch.number({name});" for name, _ in launch.numbers]
    return [*lines, "launch.start<T>();"]
