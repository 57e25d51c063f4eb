"""Imported formulas equal PyTorch's own derivatives, over calls that its samples make."""

from __future__ import annotations

import json
import sys

import pytest

# PyTorch's forward mode compiles its decompositions by what it deprecates itself.
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")]
torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

from pullback.torch.derivatives.__main__ import main  # noqa: E402 - where torch is
from pullback.torch.derivatives.call import Call, NotComparableError  # noqa: E402 - where torch is
from pullback.torch.derivatives.calls import sampled_calls  # noqa: E402 - where torch is
from pullback.torch.derivatives.comparing import (  # noqa: E402 - where torch is
    compare_all,
    compare_first,
    compare_forward,
    compare_second,
)
from pullback.torch.derivatives.table import Derivatives  # noqa: E402 - where torch is

# PyTorch is wrong: test_wrong_in_pytorch.py shows it.
WRONG_IN_PYTORCH = {"as_strided_scatter", "logcumsumexp", "triangular_solve"}
# Their derivative calls a helper that is not written; it refuses.
UNWRITTEN = {"grid_sampler_2d_backward", "grid_sampler_3d_backward"}


@pytest.fixture(scope="session")
def derivatives(imported_table):
    return Derivatives(imported_table.folder)


@pytest.mark.parametrize(
    "order", ["first", *(pytest.param(order, marks=pytest.mark.slow) for order in ("second", "forward"))]
)
@pytest.mark.parametrize("dtype", ["float64", pytest.param("complex128", marks=pytest.mark.slow)])
def test_derivatives_equal_those_of_pytorch(derivatives, calls, dtype, order):
    report = compare_all(derivatives, calls(dtype), order)
    verdicts = {operator: found.verdict for operator, found in report.items()}
    different = {
        operator: report[operator].problems for operator in verdicts if verdicts[operator] == "different"
    }
    assert different.keys() <= UNWRITTEN, different
    assert all("is not written" in problem for problems in different.values() for problem in problems)
    assert {operator for operator, verdict in verdicts.items() if verdict == "right"} <= WRONG_IN_PYTORCH
    assert list(verdicts.values()).count("equal") >= {"float64": 340, "complex128": 190}[dtype]


@pytest.fixture(scope="session")
def calls(derivatives):
    known = {}

    def of(dtype):
        if dtype not in known:
            known[dtype] = sampled_calls(derivatives, getattr(torch, dtype), 3, 2)
        return known[dtype]

    return of


def test_a_changed_formula_is_found_to_differ(derivatives, tmp_path):
    text = (derivatives.folder / "pointwise.py").read_text(encoding="utf-8")
    wrong = text.replace("return grad * aten.conj(aten.cos(self))", "return grad * aten.conj(aten.sin(self))")
    wrong = wrong.replace("aten.conj(self_t) * aten.conj(aten.cos(self_p))", "aten.conj(self_t)")
    assert wrong != text
    (tmp_path / "pointwise.py").write_text(wrong, encoding="utf-8")
    x = torch.linspace(0.1, 0.5, 3, dtype=torch.float64)
    for compare, what in (
        (compare_first, "input 0"),
        (compare_second, "input 0"),
        (compare_forward, "result 0"),
    ):
        assert compare(Call(derivatives["sin"], (x,), {})) is None
        found = compare(Call(Derivatives(tmp_path)["sin"], (x,), {}))
        assert f"{what}: off by" in found.text
        assert not found.right


def test_finite_differences_tell_who_is_right(derivatives):
    x, source = torch.arange(4.0, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    found = compare_first(Call(derivatives["as_strided_scatter"], (x, source, (2,), (1,), 0), {}))
    assert found.right


def test_what_has_no_gradient_is_not_compared(derivatives):
    for compare in (compare_first, compare_second, compare_forward):
        with pytest.raises(NotComparableError, match="nothing is differentiable"):
            compare(Call(derivatives["sin"], (torch.arange(3),), {}))


def test_the_counts_are_printed(imported_table, capsys, monkeypatch):
    options = ["--samples", "1", "--calls", "1", "--order", "first", "--format", "json"]
    monkeypatch.setattr(sys, "argv", ["derivatives", str(imported_table.folder), *options])
    status = main()
    counts = json.loads(capsys.readouterr().out)["first"]
    assert counts["compared"] == counts["equal"] + counts["right"] + counts["different"] > 300
    assert status == int(counts["different"] > 0)
