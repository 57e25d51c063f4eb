"""Findings as text and as JSON."""

from __future__ import annotations

import io
import json

from rich.console import Console

from pullback.tools.render import as_json, print_text, summary
from pullback.transpile.codes import diagnostic
from pullback.transpile.ir import Source, Span

SOURCE = Source("f.py", "x = 1\nwhile [x]:\n")
FINDING = diagnostic(
    "PB401", "no [bold] while", Span("f.py", 2, 1, 2, 6), name="f", value="while", hint="for"
)


def printed(**options: object) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=20, highlight=False, **options)  # type: ignore[arg-type]
    print_text(console, [FINDING], {"f.py": SOURCE})
    return stream.getvalue()


def test_text_is_never_wrapped_nor_read_as_markup() -> None:
    assert printed() == "f.py:2:1: PB401 error: no [bold] while\nwhile [x]:\n^~~~~\n  help: for\n"


def test_a_terminal_gets_colour() -> None:
    assert "\x1b[" in printed(force_terminal=True, color_system="standard")


def test_a_source_that_is_unknown_leaves_out_line_and_caret() -> None:
    stream = io.StringIO()
    print_text(Console(file=stream), [FINDING], {})
    assert "^" not in stream.getvalue()


def test_json_round_trips() -> None:
    (found,) = json.loads(as_json([FINDING]))
    assert found == {
        "path": "f.py",
        "line": 2,
        "column": 1,
        "code": "PB401",
        "rule": "unsupported-statement",
        "severity": "error",
        "message": "no [bold] while",
        "name": "f",
        "value": "while",
    }


def test_the_summary_counts() -> None:
    assert summary([FINDING, FINDING], 1, 2) == "2 errors: 2 formulas in 1 file"
