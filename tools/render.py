"""Findings as text with carets, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from pullback.transpile.diagnostics import Diagnostic, render
from pullback.transpile.ir import Source

STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}


def table_console() -> Console:
    """Standard output for tables: as wide as the terminal, and elsewhere so wide that no path is cut."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 1000
    return console


def as_json(diagnostics: Sequence[Diagnostic]) -> str:
    """A JSON list of objects: path, line, column, code, rule, severity, message, name, value."""
    return json.dumps([diagnostic.as_json() for diagnostic in diagnostics], indent=2)


def print_text(console: Console, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> None:
    """``path:line:col: CODE severity: message``, the source line, a caret, and what to write instead."""
    for diagnostic in diagnostics:
        source = sources.get(diagnostic.span.path)
        line = source.line(diagnostic.span.line) if source else ""
        console.print(_colored(render(diagnostic, line), diagnostic.severity), soft_wrap=True)


def _colored(text: str, severity: str) -> Text:
    colored = Text(text)
    head = text.split("\n", 1)[0]
    colored.highlight_words([f"{severity}:"], STYLES[severity])
    colored.stylize("bold", 0, head.find(" "))
    return colored


def summary(diagnostics: Sequence[Diagnostic], files: int, formulas: int, classes: int = 0) -> str:
    """One line at the end.

    >>> summary([], 3, 1)
    'clean: 1 formula in 3 files'
    >>> summary([], 3, 0, 2)
    'clean: 2 autograd functions in 3 files'
    """
    counts = [(sum(d.severity == s for d in diagnostics), s) for s in ("error", "warning")]
    found = [count(n, word) for n, word in counts if n]
    looked = [count(formulas, "formula")] if formulas or not classes else []
    looked += [count(classes, "autograd function")] if classes else []
    return f"{' and '.join(found) or 'clean'}: {' and '.join(looked)} in {count(files, 'file')}"


def count(n: int, word: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"
