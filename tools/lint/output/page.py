"""Findings as one HTML page: files, formulas and classes, verdicts, the source with each finding drawn in.

The page has all it needs in itself: no script, no font and no style from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter

from pullback.transpile.diagnostics import Diagnostic, Severity
from pullback.transpile.ir import Source
from pullback.transpile.version import __version__

from ...highlight import highlighted
from ...render import summary
from ..linter import Subject
from ..running.runner import Report

TEMPLATE = Path(__file__).with_name("page.html.jinja")
# Lines shown before and after what was examined.
AROUND = 2
SHOWN = {"error": "with an error", "warning": "with a warning", "clean": "clean"}
SEVERITIES: tuple[Severity, ...] = ("error", "warning")
# A step of the path in a message: ``saved (line 9)``, ``... (line 12, other.py, line 3)``.
_STEP = re.compile(r"(computed|saved|enters the returned gradient)[^()]*\(([^()]*line \d+)\)")
_PLACE = re.compile(r"(?<!\.py, )line (\d+)")


@dataclass
class Note:
    """A finding below its line, with the marks that stand under the text."""

    finding: Diagnostic
    marks: str


@dataclass
class Line:
    """A line of source, with what is said about it. `steps`: where the value of a finding goes."""

    number: int
    html: str
    steps: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@dataclass
class Examined:
    """A formula or class, and the findings in it."""

    subject: Subject
    findings: list[Diagnostic]

    @property
    def verdict(self) -> str:
        """The gravest severity in it, or ``clean``."""
        found = {finding.severity for finding in self.findings}
        return "error" if "error" in found else "warning" if "warning" in found else "clean"


@dataclass
class File:
    """A file with something in it. `parts` are the stretches of its source that are shown."""

    path: str
    examined: list[Examined]
    parts: list[list[Line]]
    counts: Mapping[Severity, int]


def as_html(report: Report) -> str:
    """The page for all files that have a formula, a class or a finding."""
    files = [_file(source, report) for source in report.sources.values()]
    files.sort(key=lambda file: (-file.counts["error"], -file.counts["warning"]))
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["code"] = _with_code
    verdicts = {
        verdict: sum(examined.verdict == verdict for file in files for examined in file.examined)
        for verdict in SHOWN
    }
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    shown = [found for found in report.findings if found.severity != "info"]
    return template.render(
        files=files,
        verdicts=verdicts,
        shown=SHOWN,
        summary=summary(shown, report.files, report.formulas, report.classes),
        version=__version__,
        light=HtmlFormatter(style="default").get_style_defs(".source"),
        dark=HtmlFormatter(style="monokai").get_style_defs(".source"),
    )


def _with_code(text: str) -> Markup:
    """The text with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _file(source: Source, report: Report) -> File:
    findings = [found for found in report.findings if found.span.path == source.path]
    subjects = [subject for subject in report.subjects if subject.span.path == source.path]
    examined = [Examined(subject, [f for f in findings if _is_in(f, subject)]) for subject in subjects]
    counts: dict[Severity, int] = {
        severity: sum(f.severity == severity for f in findings) for severity in SEVERITIES
    }
    return File(source.path, examined, list(_parts(source, subjects, findings)), counts)


def _is_in(finding: Diagnostic, subject: Subject) -> bool:
    inside = subject.span.line <= finding.span.line <= subject.span.end_line
    return finding.name == subject.name or (inside and not finding.name)


def _parts(
    source: Source, subjects: Sequence[Subject], findings: Sequence[Diagnostic]
) -> Iterator[list[Line]]:
    lines = [Line(number, html) for number, html in enumerate(highlighted(source.text), start=1)]
    for finding in findings:
        span = finding.span
        if not 0 < span.line <= len(lines):
            continue
        end = span.end_column if span.end_line == span.line else span.column + 1
        marks = " " * (span.column - 1) + "^" + "~" * (end - span.column - 1)
        lines[span.line - 1].notes.append(Note(finding, marks))
        if finding.severity != "info":
            for number, what in _steps(finding):
                step = f"{finding.value} {what}"
                if 0 < number <= len(lines) and step not in lines[number - 1].steps:
                    lines[number - 1].steps.append(step)
    spans = [subject.span for subject in subjects] + [finding.span for finding in findings]
    for first, last in _merged((span.line - AROUND, span.end_line + AROUND) for span in spans):
        yield lines[max(0, first - 1) : last]


def _steps(finding: Diagnostic) -> Iterator[tuple[int, str]]:
    """The lines of this file, and what happens to the value there."""
    for what, places in _STEP.findall(finding.message):
        yield from ((int(number), what) for number in _PLACE.findall(places))


def _merged(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(stretches):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged
