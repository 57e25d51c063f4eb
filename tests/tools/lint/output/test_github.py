"""Workflow commands of GitHub Actions."""

from __future__ import annotations

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.output.github import as_github
from pullback.transpile.codes import diagnostic
from pullback.transpile.ir import Span


def test_a_line_per_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--format", "github", "f.py"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(
        "::error title=PB101 captured-intermediate,file=f.py,line=8,col=34,endLine=8,endColumn=35::"
    )


def test_what_would_end_a_property_or_the_message_is_escaped() -> None:
    found = diagnostic("PB203", "50%\nof it", Span("a,b:c.py", 1, 1, 1, 2), hint="more")
    assert as_github([found]) == (
        "::warning title=PB203 nonlinear-pullback,file=a%2Cb%3Ac.py,line=1,col=1,endLine=1,endColumn=2::"
        "50%25%0Aof it%0Ahelp: more"
    )


def test_nothing_found_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--format", "github", "--ignore", "ALL", "f.py"]) == 0
    assert capsys.readouterr().out == ""
