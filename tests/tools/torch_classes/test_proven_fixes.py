"""``pullback check --fix``: what is proven by running it is written, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.fixes.file import FixedFile

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

SCALED = """import torch


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
SQUARED = """

class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        t = 2 * x
        ctx.save_for_backward(t)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (t,) = ctx.saved_tensors
        return grad * t
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / f"ops_{tmp_path.name}.py"
    path.write_text(SCALED + SQUARED)
    return path


def test_a_proven_fix_is_written_and_checked(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--fix", str(file)]) == 0
    said = capsys.readouterr().out
    assert "fixed PB101 in Scaled: `t`: computed again in the backward" in said
    assert "2 autograd functions fixed, with the results and first gradients of before" in said
    assert "all right: 2 autograd functions" in said
    assert "save_for_backward(b, a)" in file.read_text()
    assert main(["lint", "--no-cache", str(file)]) == 0


def test_only_the_named_class_is_fixed(file: Path) -> None:
    main(["check", "--fix", f"{file}::Squared"])
    assert file.read_text().startswith(SCALED)
    assert SQUARED not in file.read_text()


def test_a_fix_that_changes_a_first_gradient_is_not_written(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pullback.tools.torch_classes import proven_fixes

    real = proven_fixes.fix_file

    def wrong(path: Path, *rest: object) -> FixedFile | None:
        made = real(path, *rest)  # type: ignore[arg-type]
        if made is not None:  # the first gradient of one class is doubled
            made.fixed.text = made.fixed.text.replace(
                "t = a + b\n        return grad * b", "t = a + b\n        return 2 * grad * b"
            )
        return made

    monkeypatch.setattr(proven_fixes, "fix_file", wrong)
    assert main(["check", "--fix", str(file)]) == 1
    said = capsys.readouterr().out
    assert "Scaled not fixed: fixed, the first gradient differs by" in said
    assert file.read_text().startswith(SCALED), "it stays as it was"
    assert SQUARED not in file.read_text(), "the other class is fixed"


def test_a_class_that_cannot_be_run_is_not_fixed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(SCALED.replace("t = a + b\n", "t = a + b\n        assert a.shape == (77, 5)\n"))
    before = file.read_text()
    assert main(["check", "--fix", str(file)]) == 1
    assert "not fixed: its first gradients could not be compared" in capsys.readouterr().out
    assert file.read_text() == before
    assert (
        main(["check", "--fix", "--inputs", "torch.rand(77, 5), torch.rand(77, 5)", f"{file}::Scaled"]) == 0
    )
    assert file.read_text() != before


def test_the_settings_of_the_file_count(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "pyproject.toml").write_text('[tool.pullback.lint]\nignore = ["PB1"]\n')
    assert main(["check", "--fix", str(file)]) == 1
    assert "nothing to write" in capsys.readouterr().out
    assert file.read_text() == SCALED + SQUARED


def test_nothing_to_fix_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.py"
    path.write_text("import torch\n")
    assert main(["check", "--fix", str(path)]) == 1
    assert "no autograd function is defined there" in capsys.readouterr().err
    assert main(["check", "--unsafe-fixes", str(path)]) == 2
