"""``pullback check``: right and wrong derivatives, guesses, and files that cannot be imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools import checking
from pullback.tools.cli import main

from .conftest import Write
from .texts import SIMPLE, WRONG


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def test_right_derivatives_pass_and_the_table_has_every_order(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", write(SIMPLE), "--order", "3", "--on", "reference"]) == 0
    out = capsys.readouterr().out
    assert "simple: no sample inputs, guessed a: float64 (3, 4), b: float64 (3, 4)" in out
    assert all(heading in out for heading in ("order 1", "order 2", "order 3", "float64", "float32"))
    assert out.endswith("all right: 1 formula to order 3\n")


def test_a_wrong_derivative_fails_with_place_and_element(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(WRONG)
    assert main(["check", f"{path}::simple", "--on", "reference"]) == 1
    out = capsys.readouterr().out
    assert f"{path}:6:1: simple (reference): the derivative of order 1 by input 1 (`b`) is" in out
    assert "help: its inputs were guessed" in out
    assert out.endswith("1 failed: 1 formula to order 2\n")


def test_runs_that_are_wrong_alike_are_one_failure_with_what_may_be_meant(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """import numpy as np
import pullback as pb


@pb.formula
def likelihood(rate, counts):
    expected = np.exp(rate)
    return expected - counts * rate, lambda grad: (grad * (expected - counts), None)


@pb.formula
def rounded(x):
    return np.round(x), lambda grad: grad
"""
    path = write(text)
    assert main(["check", path, "--on", "reference", "--on", "native"]) == 1
    out = capsys.readouterr().out
    said = "likelihood (reference, native): the derivative of order 1 by input 1 (`counts`) is 0"
    assert f"{path}:6:1: {said}" in out
    assert "help: the closure returns None for `counts`, a gradient of zero" in out
    assert "rounded (reference, native)" in out
    assert "@pb.formula(surrogate=True)" in out
    assert out.endswith("2 failed: 2 formulas to order 2\n")


def test_sample_inputs_are_used_where_there_are_some(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = "\n\n@simple.sample_inputs\ndef samples(rng):\n    yield (np.ones((2, 1)), np.ones(3)), {}\n"
    assert main(["check", write(SIMPLE + samples), "--on", "reference"]) == 0
    assert "guessed" not in capsys.readouterr().out


def test_a_first_order_formula_is_checked_to_its_order(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SIMPLE.replace("@pb.formula", "@pb.formula(first_order_only=True)")
    assert main(["check", write(text), "--on", "reference"]) == 0
    assert "simple: checked to order 1: it says first_order_only" in capsys.readouterr().out


def test_a_closure_is_compared_with_the_derived_one(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    kink = """
@pb.formula
def hinge(x):
    def hinge_pullback(grad):
        return grad * (x > 0)

    return np.maximum(x, 0.0) + 0.0 * np.abs(x), hinge_pullback


@hinge.sample_inputs
def samples(rng):
    yield (np.array([-1.0, 0.5]),), {}
"""
    assert main(["check", write(SIMPLE + kink), "--on", "reference"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[1] for line in out.splitlines() if "derived" in line] == ["simple", "hinge"]


COMPOSITE = """import numpy as np
import pullback as pb


def third(values, places):
    return values[places] ** 3


@pb.composite(third)
def recorded_third(values, places):
    return FUNCTION
"""


def test_a_composite_is_checked_by_calling_it(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """It may be any Python; its inputs are found by trying."""
    path = write(COMPOSITE.replace("FUNCTION", "np.power(values[places], float(hex(3)[2:]))"))
    assert main(["check", path]) == 0
    out = capsys.readouterr().out
    assert "recorded_third: no sample inputs, guessed values: float64 (3, 4), places: 1\n" in out
    assert "recorded_third: not compiled: PB402" in out
    assert [line.split()[3] for line in out.splitlines() if "float64" in line and "│" in line] == [
        "reference",
        "native",
    ]


def test_a_composite_that_loses_a_gradient(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(COMPOSITE.replace("FUNCTION", "values[places] * pb.stop_gradient(values[places]) ** 2"))
    assert main(["check", path, "--on", "reference"]) == 1
    assert f"{path}:9: recorded_third (reference): the derivative of order 1" in capsys.readouterr().out


def test_samples_without_floats(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    samples = "\n\n@simple.sample_inputs\ndef samples(rng):\n    yield (np.arange(3), np.arange(3)), {}\n"
    assert main(["check", write(SIMPLE + samples), "--on", "reference"]) == 0
    assert "simple: not checked: its samples have no floats to differentiate" in capsys.readouterr().out


def test_complex_samples_beside_the_derived_closure(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """The derived closure holds for complex values where the written one does."""
    samples = (
        "\n\n@simple.sample_inputs\ndef samples(rng):\n    yield (np.array([1 + 2j]), np.array([2j])), {}\n"
    )
    text = SIMPLE.replace("@pb.formula", "@pb.formula(complex=True)") + samples
    assert main(["check", write(text), "--on", "reference"]) == 0
    assert "derived" in capsys.readouterr().out


def test_an_error_while_importing_is_located(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(SIMPLE + "\nraise RuntimeError('not today')\n")
    assert main(["check", path]) == 1
    assert capsys.readouterr().err == f"pullback: {path}:14: RuntimeError: not today\n"


def test_a_syntax_error_is_located(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write("def f(:\n")
    assert main(["check", path]) == 1
    found = capsys.readouterr().err
    assert found.startswith(f"{path}:1:7: PB400 error: syntax error: ")
    assert found.endswith("def f(:\n      ^\n")


def test_a_syntax_error_of_another_module_names_its_file(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write("import pullback_broken_neighbour\n")
    (Path(path).parent / "pullback_broken_neighbour.py").write_text("x = (\n")
    assert main(["check", path]) == 1
    assert "pullback_broken_neighbour.py:1:5: " in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["gone.py"], ["--order", "0", "gone.py"]])
def test_misuse(argv: list[str]) -> None:
    assert main(["check", *argv]) == 2


def test_an_engine_that_is_not_here_is_left_out_unless_asked_for(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "available", lambda: ("reference",))
    path = write(SIMPLE)
    assert main(["check", path, "--on", "native"]) == 2
    assert "--on native: the engine is not built here" in capsys.readouterr().err
    assert main(["check", path]) == 0
    assert "not checked: native: the engine is not built here" in capsys.readouterr().out
