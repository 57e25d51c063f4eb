"""Comments that say from which line of the author's a statement came."""

from __future__ import annotations

from pathlib import PurePath

from ...ir import Source, Span
from .lines import LINE_WIDTH


class Comments:
    """The comments of one block, which do not repeat a line."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._shown = 0

    def of(self, span: Span | None) -> list[str]:
        """The comment of a statement; empty where its line was just shown."""
        if span is None or span.path != self._source.path or span.line == self._shown:
            return []
        text = self._source.line(span.line).strip().rstrip("\\ ")  # it would comment out the next line
        if not text:
            return []
        self._shown = span.line
        room = LINE_WIDTH - 28
        comment = f"// {PurePath(span.path).name}:{span.line}  {text}"
        return [comment if len(comment) <= room else comment[: room - 3].rstrip() + "..."]
