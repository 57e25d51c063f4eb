"""``pullback lint -``: a text from standard input, linted and fixed as if it were a file."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from pullback.tools.cli import main

from .test_lint_fix import CLASS


@pytest.fixture(autouse=True)
def given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The class on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CLASS.encode())))


def test_findings_stand_in_the_named_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "-", "--stdin-filename", "src/ops.py", "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["path"], found["code"]) == ("src/ops.py", "PB101")


def test_its_settings_and_the_modules_beside_it_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "base.py").write_text(CLASS)
    (tmp_path / "pyproject.toml").write_text('[tool.pullback.lint]\nignore = ["PB1"]\n')
    assert main(["lint", "-", "--stdin-filename", str(tmp_path / "ops.py")]) == 0
    (tmp_path / "pyproject.toml").unlink()
    text = "from base import Scaled\n\n\nclass Two(Scaled):\n    made_with = 'ctx of def forward'\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    capsys.readouterr()
    assert main(["lint", "-", "--stdin-filename", str(tmp_path / "ops.py"), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["path"] == str(tmp_path / "base.py")


def test_the_fixed_text_goes_to_standard_output(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "ops.py"
    file.write_text("as it was")
    assert main(["lint", "-", "--stdin-filename", str(file), "--fix"]) == 0
    printed = capsys.readouterr()
    assert "        t = a + b\n        return grad * b" in printed.out
    assert printed.out.startswith("import torch\n")
    assert "clean: 1 autograd function in 1 file" in printed.err
    assert file.read_text() == "as it was"


def test_a_diff_is_a_diff_of_the_named_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "-", "--stdin-filename", "ops.py", "--diff"]) == 1
    assert capsys.readouterr().out.startswith("--- ops.py\n+++ ops.py\n")


@pytest.mark.parametrize("arguments", [["-", "f.py"], ["f.py", "--stdin-filename", "g.py"]])
def test_what_makes_no_sense_is_misuse(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", *arguments]) == 2
    assert "standard input" in capsys.readouterr().err
