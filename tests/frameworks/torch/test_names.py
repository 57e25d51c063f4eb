"""Names of the author's that emitted code for PyTorch uses for something else."""

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
from pullback.torch.function import HELPERS  # noqa: E402 - where torch is
from pullback.transpile.emit.array_library.helpers import Helpers  # noqa: E402 - where torch is
from pullback.transpile.emit.torch.module import torch_module  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch


def hostile(x, function, saved_tensors, torch, likes, _like):
    list = np.exp(x) * function
    isinstance = list * saved_tensors
    return isinstance * np.sin(torch) + list * likes * _like


def blended(arrays: list[pb.Tensor], weights: list[pb.Tensor]):
    return sum(w * np.sin(x) for x, w in zip(arrays, weights))  # noqa: B905 - a formula takes no strict=


def operands(count):
    return tuple(torch.linspace(0.2, k + 1, 3, dtype=torch.float64).requires_grad_() for k in range(count))


def test_variables_and_parameters() -> None:
    function = pullback.torch.function(pb.derive_pullback(hostile))
    assert torch.autograd.gradcheck(function, operands(6))
    assert torch.autograd.gradgradcheck(function, operands(6))


def test_sum_of_a_generator_over_lists() -> None:
    function = pullback.torch.function(pb.derive_pullback(blended))
    assert torch.autograd.gradgradcheck(lambda a, b, c, d: function([a, b], [c, d]), operands(4))


def named(name: str, folder: Path) -> Any:
    """A formula of this name."""
    path = folder / "named.py"
    path.write_text(
        "import numpy as np\nimport pullback as pb\n\n@pb.formula\n"
        f"def {name}(x, w):\n    t = np.exp(w)\n    return t * x, lambda g: (g * t, g * t * x)\n"
    )
    return run_path(str(path))[name]


@pytest.mark.parametrize("name", ["like", "_like", "torch", "list", "tuple", "isinstance", "_1", "len"])
def test_formula(name: str, tmp_path: Path) -> None:
    function = pullback.torch.function(named(name, tmp_path))
    assert torch.autograd.gradgradcheck(function, operands(2))


def test_module_whose_function_would_hide_a_name(tmp_path: Path) -> None:
    promoted = named("list", tmp_path).operator.formula
    with pytest.raises(pb.FormulaError, match="a function named `list` would hide"):
        torch_module([("list", promoted)], LIBRARY_OF_PROCESS, Helpers.of_folder(HELPERS))
