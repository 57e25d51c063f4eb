"""Arrays made of numbers alone have NumPy's dtype, and so their numbers, in PyTorch."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is
from pullback.engine.formula.formula import LIBRARY_OF_PROCESS  # noqa: E402 - where torch is
from pullback.transpile.diagnostics import FormulaError  # noqa: E402 - where torch is
from pullback.transpile.emit.aten.module import aten_module  # noqa: E402 - where torch is
from tests.frameworks.texts import promoted  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch

FORMS = [
    "np.full(3, 0.1)",
    "np.full(x.shape, -0.3)",
    "np.full(3, 1) * 0.1",
    "np.full(3, True) * 0.1",
    "np.full(3, by)",
    "np.identity(3)[0] * 0.1",
    "np.diag(np.full(3, 0.1))[1]",
    "np.linspace(0.0, 0.7, 3)",
    "np.arange(3) * 0.1",
    "np.arange(1, 4) / 3",
    "np.sqrt(np.arange(3))",
    "np.exp(-np.arange(3))",
    "np.hypot(np.arange(3), 0.1)",
    "0.5 ** np.arange(3) / 3",
    "np.outer(np.arange(3), np.arange(3))[2] / 7",
    "np.cumsum(np.full(3, 0.1))",
    "np.pad(np.full(1, 0.1), 1)",
    "np.stack([np.full((), 0.1), np.full((), 0.2), np.full((), 0.3)])",
    "np.count_nonzero(x > 0) * 0.1 * np.ones(3)",
]


SOURCE = """
import numpy as np
import pullback as pb

@pb.formula
def scaled(x, *, by: float = 0.1):
    k = {}
    return np.sin(x) * k, lambda g: g * np.cos(x) * k
"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_constants_have_the_dtype_of_numpy(form: str, dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "constants.py"
    path.write_text(SOURCE.format(form))
    formula = run_path(str(path))["scaled"]
    x = np.array([0.3, -0.4, 0.7], dtype)
    found = pullback.torch.function(formula)(torch.tensor(x)).numpy()
    expected = np.asarray(formula(x))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=4e-16 if dtype == "float64" else 3e-7)


def powered(x, k=2.0):
    return np.exp(x) ** k


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_operand_whose_default_is_a_number(dtype: Any) -> None:
    function = pullback.torch.function(pb.derive_pullback(powered))
    x = torch.tensor([0.3, -0.4], dtype=dtype)
    for made, k in (
        (function(x), 2.0),
        (function(x, 3), 3.0),
        (function(x, torch.tensor(3.0, dtype=dtype)), 3.0),
    ):
        assert made.dtype == dtype
        torch.testing.assert_close(made, torch.exp(x * k))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_masks_are_subtracted_as_numbers(dtype: str) -> None:
    @pb.derive_pullback
    def beside(x):
        return (x - (x > 0)) ** 2 + ((x < 1) - x) ** 2

    @pb.derive_pullback
    def from_one(x):
        return x * (1 - (x > 0))

    x = torch.tensor([-1.5, 0.5, 2.0], dtype=getattr(torch, dtype))
    wanted = (x - (x > 0).to(x.dtype)) ** 2 + ((x < 1).to(x.dtype) - x) ** 2
    torch.testing.assert_close(pullback.torch.function(beside)(x), wanted)
    found = pullback.torch.function(from_one)(x)
    assert found.dtype == torch.float64  # of whole numbers and floats, as in NumPy
    torch.testing.assert_close(found, (x * ~(x > 0)).double())


def test_a_number_with_the_sign_of_another() -> None:
    @pb.derive_pullback
    def turned(x):
        return np.copysign(x, -1.0) ** 2 * x

    x = torch.tensor([-1.5, 0.5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(pullback.torch.function(turned), (x,))


@pytest.mark.parametrize(
    "form", ["np.exp(x > 0)", "np.arctan2(x > 0, x > 1)", "1 / np.reciprocal(np.arange(1, 4))"]
)
@pytest.mark.parametrize("target", ["torch-python", "aten"])
def test_functions_of_floats_that_numpy_takes_in_half_precision_or_whole_are_refused(
    form: str, target: str, tmp_path: Path
) -> None:
    path = tmp_path / "constants.py"
    path.write_text(SOURCE.format(form))
    with pytest.raises(FormulaError, match=r"PB502.* of (a mask|whole numbers)") as refused:
        emit(run_path(str(path))["scaled"], target)
    assert ".astype(float)" in str(refused.value)


def emit(formula: Any, target: str) -> None:
    if target == "torch-python":
        pullback.torch.function(formula)
    else:
        aten_module([(formula.__name__, promoted(formula))], LIBRARY_OF_PROCESS, "masks")
