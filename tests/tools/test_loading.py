"""Importing a file to run it: which formulas, and where it fails."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pullback as pb
from pullback.tools.errors import CommandError, UsageError
from pullback.tools.loading import load_formulas

TWO = """import numpy as np
import pullback as pb
from helper import shared


@pb.formula
def first(x):
    return x * 1.0, lambda grad: grad * 1.0


@pb.formula
def second(x):
    return x * 2.0, lambda grad: grad * 2.0
"""
HELPER = """import pullback as pb


@pb.formula
def shared(x):
    return x * 3.0, lambda grad: grad * 3.0
"""


@pytest.fixture
def two(tmp_path: Path) -> str:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "two.py").write_text(TWO)
    return str(tmp_path / "two.py")


def test_the_formulas_of_the_file_itself_in_its_order(two: str) -> None:
    assert [name for name, _ in load_formulas(two)] == ["first", "second"]


def test_a_file_of_the_library_is_not_loaded_twice() -> None:
    """A copy of its formulas would define their operators anew."""
    path = Path(__file__).parents[2] / "formulas" / "fourier.py"
    found = dict(load_formulas(str(path)))
    assert found["irfft"] is pb.formulas()[np.fft.irfft]
    assert found["fft2"] is pb.formulas()[np.fft.fft2]


def test_one_by_name(two: str) -> None:
    ((name, formula),) = load_formulas(f"{two}::second")
    assert (name, formula(1.5)) == ("second", 3.0)


def test_an_unknown_name_is_misuse(two: str) -> None:
    with pytest.raises(UsageError, match="Did you mean second"):
        load_formulas(f"{two}::secnd")


def test_an_error_in_a_helper_is_located_at_the_files_own_line(tmp_path: Path) -> None:
    (tmp_path / "broken_helper.py").write_text("1 / 0\n")
    path = tmp_path / "f.py"
    path.write_text("\n\nimport broken_helper\n")
    with pytest.raises(CommandError, match=r"f\.py:3: ZeroDivisionError"):
        load_formulas(str(path))


def test_a_file_that_exits_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("import sys\n\nsys.exit(0)\n")
    with pytest.raises(CommandError, match=r"script\.py:3: SystemExit"):
        load_formulas(str(path))
