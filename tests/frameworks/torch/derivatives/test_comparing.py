"""Imported formulas equal PyTorch's own first derivatives, over calls that its samples make."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

from pullback.torch.derivatives.comparing import (  # noqa: E402
    NotComparableError,
    compare,
    compare_all,
    sampled_calls,
)
from pullback.torch.derivatives.table import Derivatives  # noqa: E402

# PyTorch's own gradient is wrong: test_wrong_in_pytorch.py shows it.
WRONG_IN_PYTORCH = {"as_strided_scatter"}
# Their second derivative calls a helper that is not written; it refuses.
UNWRITTEN = {"grid_sampler_2d_backward", "grid_sampler_3d_backward"}


@pytest.fixture(scope="session")
def derivatives(imported_table):
    return Derivatives(imported_table.folder)


@pytest.mark.parametrize(
    ("dtype", "least"),
    [("float64", 350), pytest.param("complex128", 185, marks=pytest.mark.slow)],
)
def test_first_derivatives_equal_those_of_pytorch(derivatives, dtype, least):
    report = compare_all(derivatives, sampled_calls(derivatives, getattr(torch, dtype), 4, 3))
    differing = {operator: found.problems for operator, found in report.items() if not found.whole}
    assert differing.keys() <= WRONG_IN_PYTORCH | UNWRITTEN, differing
    assert all(
        "is not written" in problem for name in UNWRITTEN & differing.keys() for problem in differing[name]
    )
    assert len(report) - len(differing) >= least


def test_a_changed_formula_is_found_to_differ(derivatives, tmp_path):
    text = (derivatives.folder / "pointwise.py").read_text(encoding="utf-8")
    wrong = text.replace("return grad * aten.conj(aten.cos(self))", "return grad * aten.conj(aten.sin(self))")
    assert wrong != text
    (tmp_path / "pointwise.py").write_text(wrong, encoding="utf-8")
    x = torch.linspace(0.1, 0.5, 3, dtype=torch.float64)
    assert compare(derivatives["sin"], (x,), {}) is None
    assert "input 0: off by" in compare(Derivatives(tmp_path)["sin"], (x,), {})


def test_what_has_no_gradient_is_not_compared(derivatives):
    with pytest.raises(NotComparableError, match="nothing is differentiable"):
        compare(derivatives["sin"], (torch.arange(3),), {})
