"""A folder to lint in, with a cache of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CLASS = """import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        t = a + b
        ctx.save_for_backward(b, t)
        return t * b

    @staticmethod
    def backward(ctx, grad):
        b, t = ctx.saved_tensors
        return grad * b, grad * t + grad * b
"""
SAVED_LINE = 8

Lint = Callable[..., list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a project with one class that has one error, PB101 in line 8."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "cache"))
    (project / "f.py").write_text(CLASS)
    return project


@pytest.fixture
def lint(capsys: pytest.CaptureFixture[str]) -> Lint:
    """Lints with these arguments and gives the findings."""
    from pullback.tools.cli import main  # not before the run-time checks of types are in place

    def run(*arguments: str) -> list[dict[str, Any]]:
        main(["lint", "--format", "json", *arguments])
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
        return found

    return run


def configure(folder: Path, table: str) -> None:
    """Write a configuration."""
    (folder / "pyproject.toml").write_text(f"[project]\nname = 'x'\n\n[tool.pullback.lint]\n{table}")
