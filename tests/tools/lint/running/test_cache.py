"""The cache: the same findings, only sooner; anything that could change them is a miss."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.running import cache, runner, work
from pullback.tools.modules import _is_file, _root, _with_methods

from ..conftest import CLASS, Lint, configure

BASE = """import torch


class Base(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        t = a + b
        ctx.save_for_backward(b, t)
        return t * b
"""
DERIVED = """from base import Base


class Derived(Base):  # a Function
    @staticmethod
    def backward(ctx, grad):
        b, t = ctx.saved_tensors
        return grad * b, grad * t + grad * b
"""


@pytest.fixture
def linted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were not taken from the cache."""
    paths: list[str] = []
    real = work.lint_all

    def spy(tasks, processes):
        paths.extend(task.path for task in tasks)
        return real(tasks, processes)

    monkeypatch.setattr(runner, "lint_all", spy)
    return paths


def test_an_unchanged_file_is_not_linted_again(lint: Lint, linted: list[str]) -> None:
    first = lint("f.py")
    assert (lint("f.py"), linted) == (first, ["f.py"])
    assert lint("f.py", "--no-cache") == first
    assert linted == ["f.py", "f.py"]


def test_a_changed_file_is(folder: Path, lint: Lint, linted: list[str]) -> None:
    lint("f.py")
    (folder / "f.py").write_text(CLASS.replace("t = a + b", "t = a - b"))
    lint("f.py")
    assert linted == ["f.py", "f.py"]


def test_settings_and_comments_apply_to_what_is_kept(folder: Path, lint: Lint, linted: list[str]) -> None:
    assert len(lint("f.py")) == 1
    assert lint("f.py", "--ignore", "PB101") == []
    assert len(lint("f.py", "--verbose")) >= 1
    configure(folder, "ignore = ['PB1']")
    assert lint(str(folder / "f.py")) == []
    assert linted == ["f.py", str(folder / "f.py")]


def test_a_file_is_linted_again_when_what_it_imports_changes(
    folder: Path, lint: Lint, linted: list[str]
) -> None:
    (folder / "base.py").write_text(BASE)
    (folder / "g.py").write_text(DERIVED)
    assert [f["name"] for f in lint("g.py")] == ["Derived"]
    lint("g.py")
    assert linted == ["g.py"]
    (folder / "base.py").write_text(BASE.replace("(b, t)", "(a, b)"))
    assert lint("g.py") == []
    assert linted == ["g.py", "g.py"]


def test_and_when_what_it_imports_comes_or_goes(folder: Path, lint: Lint, linted: list[str]) -> None:
    (folder / "g.py").write_text(DERIVED)
    assert lint("g.py") == []
    (folder / "base.py").write_text(BASE)
    for kept in (_is_file, _root):  # a process looks once
        kept.cache_clear()
    assert len(lint("g.py")) == 1
    assert linted == ["g.py", "g.py"]


def test_fixes_are_found_again_when_another_file_begins_to_use_the_class(
    folder: Path, linted: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It runs the forward with a backward of its own, which a fix would break."""
    uses = DERIVED.replace("base import Base", "f import Scaled").replace("(Base)", "(Scaled)")
    fixable = []
    for text in ("", uses, ""):
        (folder / "g.py").write_text(text)
        _with_methods.cache_clear()
        main(["lint", "f.py"])
        fixable.append("1 fixable" in capsys.readouterr().out)
    assert (fixable, linted) == ([True, False, True], ["f.py"] * 3)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"findings": 3}', b"\xff\xfe"])
def test_a_damaged_entry_is_a_miss(damage: bytes, lint: Lint, linted: list[str]) -> None:
    first = lint("f.py")
    (entry,) = cache.folder().glob("*/*.json")
    entry.write_bytes(damage)
    assert (lint("f.py"), linted) == (first, ["f.py", "f.py"])
    assert (lint("f.py"), linted) == (first, ["f.py", "f.py"])


def test_a_folder_that_cannot_be_written_is_no_error(
    tmp_path: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "file"))
    assert len(lint("f.py")) == 1


def test_it_is_counted_and_cleared(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    lint("f.py")
    assert main(["cache"]) == 0
    assert f"{cache.folder()}: 1 linted file, 0.0 MB\n" in capsys.readouterr().out
    assert main(["cache", "--clear"]) == 0
    assert f"{cache.folder()}: removed 1 linted file\n" in capsys.readouterr().out
    assert not cache.folder().exists()
