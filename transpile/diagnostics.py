"""Diagnostics: what is wrong, where, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from unicodedata import east_asian_width

from .ir import Source, Span

Severity = OneOf["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `code` is stable ("PB101"), `rule` its spoken name ("captured-intermediate"),
    `name` the formula, `value` the captured name or offending text, `hint` what
    to write instead.

    Examples
    --------
    >>> span = Span("f.py", 3, 5, 3, 8)
    >>> print(render(Diagnostic("PB103", "opaque-capture", "error", "`t` is opaque", span), "    t = g(x)"))
    f.py:3:5: PB103 error: `t` is opaque
        t = g(x)
        ^~~
    """

    code: str
    rule: str
    severity: Severity
    message: str
    span: Span
    name: str = ""
    value: str = ""
    hint: str = ""

    def as_json(self) -> dict[str, object]:
        """The object that ``--format json`` prints."""
        return {
            "path": self.span.path,
            "line": self.span.line,
            "column": self.span.column,
            "code": self.code,
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "name": self.name,
            "value": self.value,
        }


LONGEST = 160
BEFORE = 60
ELLIPSIS = "... "


def _blank(char: str) -> str:
    """Spaces that a terminal shows as wide as a character."""
    return "\t" if char == "\t" else "  " if east_asian_width(char) in "WF" else " "


def render(diagnostic: Diagnostic, line: str) -> str:
    """``path:line:col: CODE message``, the source line, a caret, and the hint.

    >>> span = Span("f.py", 3, 5, 3, 6)
    >>> print(render(Diagnostic("PB401", "fence", "error", "no while", span, hint="use for"), "    while 1:"))
    f.py:3:5: PB401 error: no while
        while 1:
        ^
      help: use for
    """
    span = diagnostic.span
    head = f"{span}: {diagnostic.code} {diagnostic.severity}: {diagnostic.message}"
    parts = [head]
    if line:
        end = span.end_column if span.end_line == span.line else len(line) + 1
        start = span.column - 1
        width = max(1, min(end, len(line) + 1) - span.column)
        if len(line) > LONGEST:  # a part of it, which the terminal need not wrap
            first = min(max(0, start - BEFORE), max(0, len(line) - LONGEST))
            line = (ELLIPSIS if first else "") + line[first : first + LONGEST]
            start += len(ELLIPSIS) - first if first else 0
            width = max(1, min(width, len(line) - start))
        pad = "".join(_blank(char) for char in line[:start])
        parts += [line, pad + "^" + "~" * (width - 1)]
    if diagnostic.hint:
        parts.append(f"  help: {diagnostic.hint}")
    return "\n".join(parts)


class PullbackError(Exception):
    """The base of the exceptions that this package raises on purpose.

    Examples
    --------
    >>> issubclass(FormulaError, PullbackError)
    True
    """


class FormulaError(PullbackError):
    """A formula that cannot be used as written. `diagnostics` has the findings with their places.

    Examples
    --------
    >>> import pullback as pb
    >>> @pb.derive_pullback
    ... def halved(x):
    ...     del x.grad
    ...     return x / 2
    >>> try:
    ...     halved(pb.tensor(3.0))
    ... except pb.FormulaError as error:
    ...     print(error.diagnostics[0].code, error.diagnostics[0].message)
    PB401 such a `del` statement is outside of the formula language
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], source: Source | None = None) -> None:
        self.diagnostics = tuple(diagnostics)
        self.source = source
        lines = [render(d, source.line(d.span.line) if source else "") for d in self.diagnostics]
        super().__init__("\n".join(lines))
