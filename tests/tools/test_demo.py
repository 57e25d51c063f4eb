"""The demo runs from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools import demo

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.compiler
def test_the_demo_runs_and_ends_in_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "200")
    assert demo.main() == 0
    out = capsys.readouterr().out
    for part in ("PB101", "def gelu_tanh_backward_general", "cpp_out/lstm_cell.cpp", "all right", "1.00x"):
        assert part in out


def test_elsewhere_it_says_where_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert demo.main() == 2
    assert "run it in the repository" in capsys.readouterr().err
