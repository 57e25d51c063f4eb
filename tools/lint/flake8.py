"""The plugin for flake8: the same findings, under the same codes, among flake8's.

flake8 finds it by the entry point; nothing here imports flake8, so it need not be installed. Codes are
selected and silenced by flake8's own options and ``# noqa``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pullback.transpile.ir import Source
from pullback.transpile.version import __version__

from .linter import lint_source, may_have_classes, may_have_formulas
from .running.dependencies import Modules, TrackedProgram


class Plugin:
    """The plugin; flake8 makes one for each file."""

    name = "pullback"
    version = __version__

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._source = Source(filename, "".join(lines).removeprefix("\ufeff"))

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """Line, column from 0, and the text of each error and warning."""
        data = self._source.text.encode("utf-8", "replace")
        if not may_have_formulas(data) and not may_have_classes(data):
            return
        for found in lint_source(self._source, TrackedProgram(Modules())).findings:
            if found.severity != "info" and found.span.path == self._source.path:
                yield found.span.line, found.span.column - 1, f"{found.code} {found.message}", type(self)
