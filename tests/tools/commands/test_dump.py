"""``pullback dump``: every pass can be looked at."""

from __future__ import annotations

import pytest

from pullback.tools.cli import main
from pullback.tools.commands.dump import PASSES

from .conftest import Write
from .texts import SIMPLE, TOO_FEW


@pytest.mark.parametrize("after", PASSES)
def test_every_pass_prints_the_formula(after: str, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", f"{write(SIMPLE)}::simple", "--after", after]) == 0
    assert capsys.readouterr().out.startswith("formula simple")


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
