"""``pullback check`` of what is compiled, and of what can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.cli import main

from .conftest import Write
from .texts import SIMPLE, WRONG

pytestmark = pytest.mark.compiler

NO_CPP = """import numpy as np
import pullback as pb


@pb.formula
def half_precision(x):
    def half_precision_pullback(grad):
        return grad * 2.0

    return x.astype(np.float16) * 2.0, half_precision_pullback


@half_precision.sample_inputs
def samples(rng):
    yield (np.ones(3),), {}
"""


@pytest.fixture(autouse=True)
def wide_terminal(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def test_compiled_kernels_are_checked_to_third_order(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", write(SIMPLE), "--order", "3", "--on", "compiled"]) == 0
    assert "compiled" in capsys.readouterr().out


def test_a_wrong_derivative_is_wrong_compiled_too(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(WRONG)
    assert main(["check", path, "--on", "compiled"]) == 1
    assert f"{path}:6:1: simple (compiled): the derivative of order 1" in capsys.readouterr().out


def test_without_a_compiler_the_engines_are_checked(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    path = write(SIMPLE)
    assert main(["check", path]) == 0
    assert "not checked: compiled: there is no C++ compiler on this machine" in capsys.readouterr().out
    assert main(["check", path, "--on", "compiled"]) == 2
    assert "--on compiled: there is no C++ compiler on this machine" in capsys.readouterr().err


def test_a_dtype_without_cpp_is_a_located_message(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(NO_CPP)
    assert main(["transpile", path, "-o", "-"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"{path}:10:12: PB501 error: ")
    assert "    return x.astype(np.float16) * 2.0, half_precision_pullback\n" in err
