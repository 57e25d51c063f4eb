"""The plugin for flake8, alone and within flake8."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pullback
from pullback.tools.lint.flake8 import Plugin

from .conftest import CLASS


def run(text: str) -> list[tuple[int, int, str]]:
    plugin = Plugin(ast.parse(text), "f.py", text.splitlines(keepends=True))
    return [(line, column, message) for line, column, message, _ in plugin.run()]


def test_line_column_and_code() -> None:
    ((line, column, message),) = run(CLASS)
    assert (line, column) == (8, 33)
    assert message.startswith("PB101 `t` is an intermediate")


def test_a_file_without_a_derivative_is_not_read() -> None:
    assert run("x = 1\n") == []


def test_the_file_may_begin_with_a_mark_of_its_encoding() -> None:
    lines = ("\ufeff" + CLASS).splitlines(keepends=True)
    assert len(list(Plugin(ast.parse(CLASS), "f.py", lines).run())) == 1


def test_flake8_reports_the_findings(folder: Path) -> None:
    pytest.importorskip("flake8")
    entries = importlib.metadata.entry_points(group="flake8.extension")
    if not any(entry.name == "PB" for entry in entries):  # from the source tree nothing is installed
        (folder / "tox.ini").write_text(
            f"[flake8:local-plugins]\nextension = PB = {Plugin.__module__}:{Plugin.__qualname__}\n"
        )
    (folder / "g.py").write_text(CLASS.replace("(b, t)", "(b, t)  # noqa: PB101", 1))
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--select", "PB", "--jobs", "1", "f.py", "g.py"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(pullback.__file__).parents[1])},
    )
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    assert line.startswith("f.py:8:34: PB101 ")
