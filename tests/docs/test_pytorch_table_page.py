"""The page on PyTorch's table: its program of autograd by formulas prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pytorch-table.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Autograd by formulas")[2].partition("\n## ")[0]


def test_the_program_prints_what_it_says(imported_table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pullback.torch.autograd.formulas.imported_formulas", lambda: imported_table)
    (program,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {"__name__": "program"})
    assert printed.getvalue().splitlines() == re.findall(r"print\(.*\)  # (.*)", program)


@pytest.mark.slow
def test_the_count_of_derived_entries_is_current(imported_table) -> None:
    pytest.importorskip("expecttest")
    command = [sys.executable, "-m", "pullback.torch.derived", str(imported_table)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    section = PAGE.partition("## What need not have been written")[2].partition("\n## ")[0]
    (shown,) = re.findall(r"grep -E '[^\n]*\n(.*?)```", section, re.DOTALL)
    assert [line for line in shown.splitlines() if line not in printed] == []
    assert printed[-1] in shown
