"""Names that NumPy had once: classes that use them are judged, and the names said."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name

import numpy
import pytest

pytest.importorskip("torch")

from pullback.tools.cli import main
from pullback.tools.torch_classes.former_names import FORMER, former_names

pytestmark = pytest.mark.torch

TEXT = """
import numpy as np
import torch
from numpy import product

LIMIT = np.float_(3.0)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * np.float(LIMIT)

    @staticmethod
    def backward(ctx, grad):
        return grad * np.alltrue([True]) * LIMIT
"""


def test_a_class_that_uses_them_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "of_another_time.py"
    path.write_text(TEXT)
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "numpy.float_ is no more in NumPy: numpy.float64 took its place" in out
    assert "numpy.float is no more in NumPy: float took its place" in out
    assert "numpy.product is no more in NumPy: numpy.prod took its place" in out


def test_numpy_has_them_for_that_time_only() -> None:
    if hasattr(numpy, "float_"):
        pytest.skip("this NumPy has them still")
    with former_names() as used:
        assert numpy.float_ is numpy.float64
        with pytest.raises(AttributeError, match="never_there"):
            numpy.never_there  # noqa: B018 - reading it is what raises
    assert used == {"numpy.float_": "numpy.float64"}
    assert not hasattr(numpy, "float_")


@pytest.mark.parametrize("name", FORMER)
def test_what_took_the_place_is_there(name: str) -> None:
    assert resolve_name(FORMER[name]) is not None


def test_why_no_guess_runs_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "calls_what_is_gone.py"
    path.write_text(
        TEXT.replace("np.alltrue([True])", "torch.gone(x)").replace("x * np", "torch.gone(x) * np")
    )
    assert main(["check", str(path)]) == 1
    assert "most often: AttributeError: module 'torch' has no attribute 'gone'" in capsys.readouterr().out
