"""``pullback dump``: every pass can be looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.cli import main
from pullback.tools.commands.dump import KERNEL_STAGES, PASSES

from .conftest import Write
from .texts import SIMPLE, TOO_FEW

ASTYPE = f"{Path(__file__).resolve().parents[3] / 'formulas' / 'shape.py'}::astype"


@pytest.mark.parametrize("after", PASSES)
def test_every_pass_prints_the_formula(after: str, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", f"{write(SIMPLE)}::simple", "--after", after]) == 0
    assert capsys.readouterr().out.startswith("formula simple")


@pytest.mark.parametrize("after", KERNEL_STAGES)
def test_the_loop_ir_of_cpp_prints_forward_and_backward(
    after: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dump", f"{write(SIMPLE)}::simple", "--after", after]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("kernel simple_forward(T, T) -> 1:\n  a_view = ask input(0): T\n")
    assert "\nkernel simple_backward(T, T, T) -> 2:\n" in printed
    assert "      t: T = a[i] + b[i]\n" in printed


def test_declarations_that_nobody_reads_are_gone_after_the_pass(capsys: pytest.CaptureFixture[str]) -> None:
    main(["dump", ASTYPE, "--after", "kernel"])
    before = capsys.readouterr().out.splitlines()
    main(["dump", ASTYPE, "--after", "unused"])
    after = capsys.readouterr().out.splitlines()
    unread = "  like_x: Shape = ask like(0): T"
    assert unread in before
    assert unread not in after
    # What checks a dtype is asked for without a name.
    assert set(after) - set(before) == {"  do ask like(0): T"}
    assert len(after) < len(before)


def test_promotion_adds_the_hidden_output_and_its_gradient(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(SIMPLE)
    main(["dump", path, "--after", "read"])
    before = capsys.readouterr().out
    main(["dump", path])
    after = capsys.readouterr().out
    assert "pullback(grad):" in before
    assert "pullback(grad, grad_t):" in after
    assert "hidden t" in after
    main(["dump", path, "--after", "specialize"])
    assert "grad_t" not in capsys.readouterr().out


def test_a_name_that_is_not_there_is_misuse(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(SIMPLE)
    assert main(["dump", f"{path}::smple"]) == 2
    assert f"{path}: has no formula named smple. Did you mean simple?" in capsys.readouterr().err


def test_a_formula_with_an_error_is_a_located_message(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(TOO_FEW)
    assert main(["dump", f"{path}::simple"]) == 1
    assert capsys.readouterr().err.startswith(f"{path}:10:")


def test_a_file_that_is_not_there_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", "gone.py::simple"]) == 2
    assert capsys.readouterr().err == "pullback: gone.py: no such file\n"
