"""The page on PyTorch's table: its program of autograd by formulas prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
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
