"""Comments that silence, and those that only look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.cli import main

from ..conftest import CLASS, Lint

SAVE = "ctx.save_for_backward(b, t)"


def silenced(folder: Path, lint: Lint, text: str) -> bool:
    (folder / "f.py").write_text(text)
    return not lint("f.py")


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: PB101",
        "# noqa:PB101",
        "# noqa : pb101",
        "# noqa: E501, PB101",
        "# noqa: E501 PB101",
        "# noqa: PB1",
        "# type: ignore  # noqa: PB101",
        "# noqa: PB101 the second derivative is not wanted",
    ],
)
def test_silences(comment: str, folder: Path, lint: Lint) -> None:
    assert silenced(folder, lint, CLASS.replace(SAVE, f"{SAVE}  {comment}"))


@pytest.mark.parametrize(
    "comment",
    ["# noqa: E501", "# noqa: PB102, PB201", "# noqa:", "# noqa: later", "# noqas", "# no qa"],
)
def test_does_not_silence(comment: str, folder: Path, lint: Lint) -> None:
    assert not silenced(folder, lint, CLASS.replace(SAVE, f"{SAVE}  {comment}"))


def test_another_line_does_not_silence(folder: Path, lint: Lint) -> None:
    assert not silenced(folder, lint, CLASS.replace("t = a + b", "t = a + b  # noqa"))


def test_a_whole_file(folder: Path, lint: Lint) -> None:
    assert silenced(folder, lint, "# pullback: noqa\n" + CLASS)
    assert silenced(folder, lint, CLASS + "# pullback: noqa: PB101\n")
    assert not silenced(folder, lint, "# pullback: noqa: PB2\n" + CLASS)


def test_a_comment_in_the_file_that_a_class_inherits_from(folder: Path, lint: Lint) -> None:
    head, backward = CLASS.split("\n\n    @staticmethod\n    def backward")
    derived = "from base import Scaled\n\n\nclass Derived(Scaled):  # a Function\n"
    (folder / "base.py").write_text(head)
    (folder / "f.py").write_text(f"{derived}    @staticmethod\n    def backward{backward}")
    assert [finding["path"] for finding in lint("f.py")] == ["base.py"]
    (folder / "base.py").write_text(head.replace(SAVE, f"{SAVE}  # noqa"))
    assert lint("f.py") == []


def test_the_summary_counts_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "f.py").write_text(CLASS.replace(SAVE, f"{SAVE}  # noqa"))
    assert main(["lint", "f.py"]) == 0
    assert capsys.readouterr().out == "clean: 1 autograd function in 1 file; 1 silenced\n"
