"""``pullback lint --fix``, ``--diff`` and ``--unsafe-fixes`` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pullback.tools.cli import main

Write = Callable[..., str]

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


def test_fix_changes_the_file_and_reports_what_is_left(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(CLASS)
    assert main(["lint", "--fix", "--no-cache", path]) == 0
    captured = capsys.readouterr()
    assert captured.out == "clean: 1 autograd function in 1 file\n"
    assert captured.err == (
        f"{path}: fixed PB101 in Scaled: `t`: computed again in the backward\nfixed 1 finding in 1 file; "
        "nothing was run: `pullback check --fix` also compares first gradients before it writes\n"
    )
    assert "        t = a + b\n        return grad * b" in Path(path).read_text()


def test_diff_changes_nothing(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(CLASS)
    assert main(["lint", "--diff", "--no-cache", path]) == 1
    out = capsys.readouterr().out
    assert "-        ctx.save_for_backward(b, t)\n+        ctx.save_for_backward(b, a)\n" in out
    assert Path(path).read_text() == CLASS


def test_diff_of_a_clean_file_is_empty(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(CLASS)
    main(["lint", "--fix", "--no-cache", path])
    capsys.readouterr()
    assert main(["lint", "--diff", "--no-cache", path]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("option", [["--ignore", "PB101"], ["--select", "PB2"]])
def test_what_is_not_selected_is_not_fixed(option: list[str], write: Write) -> None:
    path = write(CLASS)
    main(["lint", "--fix", "--no-cache", *option, path])
    assert Path(path).read_text() == CLASS


def test_what_is_silenced_is_not_fixed(write: Write) -> None:
    text = CLASS.replace("(b, t)\n", "(b, t)  # noqa: PB101\n")
    path = write(text)
    assert main(["lint", "--fix", "--no-cache", path]) == 0
    assert Path(path).read_text() == text


def test_what_cannot_be_fixed_is_said_with_the_reason(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(CLASS.replace("t = a + b", "t = a + b * torch.rand_like(b)"))
    assert main(["lint", "--fix", "--no-cache", path]) == 1
    assert "PB101 in Scaled not fixed: it depends on random numbers" in capsys.readouterr().err


def test_unsafe_fixes_refuse_second_derivatives(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(CLASS.replace("t = a + b", "t = a + b * torch.rand_like(b)"))
    assert main(["lint", "--fix", "--unsafe-fixes", "--no-cache", path]) == 0
    assert "second derivatives are refused" in capsys.readouterr().err
    assert "class _NoSecondDerivative(" in Path(path).read_text()


def test_unsafe_fixes_alone_are_misuse(write: Write) -> None:
    assert main(["lint", "--unsafe-fixes", write(CLASS)]) == 2


def test_json_is_not_mixed_with_what_was_fixed(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--fix", "--format", "json", "--no-cache", write(CLASS)]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_advice_is_fixed_only_where_it_is_shown(write: Write) -> None:
    text = (
        CLASS.replace("        t = a + b\n", "")
        .replace("(b, t)", "(a, b)")
        .replace("return t * b", "return a")
    )
    text = text.replace("b, t =", "a, b =").replace("grad * t", "grad * a")
    path = write(text)
    main(["lint", "--fix", "--no-cache", path])
    assert Path(path).read_text() == text
    main(["lint", "--fix", "--verbose", "--no-cache", path])
    assert "return a.view_as(a)" in Path(path).read_text()
