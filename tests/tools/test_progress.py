"""Progress shows on a terminal, after a second, and nowhere else."""

from __future__ import annotations

import pytest
from rich.console import Console

from pullback.tools import progress


def test_nothing_is_printed_where_standard_error_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress.track(range(3), "count", 3)) == [0, 1, 2]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("patience", "shows"), [(0.0, True), (1000.0, False)])
def test_the_bar_appears_once_patience_is_over(
    patience: float, shows: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(progress, "Console", lambda stderr: Console(stderr=stderr, force_terminal=True))
    with progress.steps("lint", 2) as step:
        step("a.py")
        step("b.py")
    assert ("b.py" in capsys.readouterr().err) is shows
