"""Findings as workflow commands, which GitHub Actions shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from pullback.transpile.diagnostics import Diagnostic, Severity

from ...notebooks import file_of, is_cell

LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def as_github(findings: Sequence[Diagnostic]) -> str:
    """A line per finding.

    >>> from pullback.transpile.codes import diagnostic
    >>> from pullback.transpile.ir import Span
    >>> print(as_github([diagnostic("PB401", "100% no", Span("f.py", 3, 5, 3, 6))]))
    ::error title=PB401 unsupported-statement,file=f.py,line=3,col=5,endLine=3,endColumn=6::100%25 no
    """
    return "\n".join(_command(finding) for finding in findings)


def _command(finding: Diagnostic) -> str:
    span = finding.span
    properties = {
        "title": f"{finding.code} {finding.rule}",
        "file": file_of(span.path),
        "line": span.line,
        "col": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    where = f"{span}: " if is_cell(span.path) else ""  # its lines are those of a cell
    message = where + finding.message + (f"\nhelp: {finding.hint}" if finding.hint else "")
    return f"::{LEVELS[finding.severity]} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
