"""Imported formulas equal PyTorch's own derivatives, over calls that its samples make."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

# PyTorch's forward mode compiles its decompositions by what it deprecates itself.
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")]
torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

from pullback.torch.derivatives.__main__ import main  # noqa: E402 - where torch is
from pullback.torch.derivatives.call import Call, NotComparableError  # noqa: E402 - where torch is
from pullback.torch.derivatives.calls import Calls, sampled_calls  # noqa: E402 - where torch is
from pullback.torch.derivatives.comparing import (  # noqa: E402 - where torch is
    _is_equal,
    _is_right,
    compare_all,
    compare_first,
    compare_forward,
    compare_second,
)
from pullback.torch.derivatives.table import Derivatives  # noqa: E402 - where torch is

# PyTorch is wrong: test_wrong_in_pytorch.py shows it.
WRONG_IN_PYTORCH = {"as_strided_scatter", "logcumsumexp", "triangular_solve"}
# Has no derivative: the vectors beyond those of a matrix that is not square may turn freely.
REFUSED = {"_linalg_svd"}


@pytest.fixture(scope="session")
def derivatives(imported_table):
    return Derivatives(imported_table)


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
    assert not different
    assert {operator for operator, verdict in verdicts.items() if verdict == "refused"} <= REFUSED
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


@pytest.mark.parametrize("size", [1.0, 1e6])
def test_a_formula_that_is_wrong_too_is_not_called_right(size):
    x, one = torch.full((), 2.0, dtype=torch.float64), [torch.ones((), dtype=torch.float64)]

    def judged(ours, theirs):  # of size * x**3
        return _is_right(ours * size, theirs * size, lambda at: [size * at[0] ** 3], [x], one, one)

    assert judged(12.0, 11.0)
    assert judged(12.0, float("nan"))
    assert not judged(11.0, 12.0)
    assert not judged(12.1, 30.0)  # nearer by far, and wrong
    assert not judged(12.0 + 2e-9, 12.0 + 4e-9)  # both agree
    assert not judged(float("nan"), 11.0)


def test_rounding_of_the_largest_entry_is_no_difference():
    large = torch.tensor([1e9, 1.0], dtype=torch.float64)
    assert _is_equal(large + torch.tensor([0.0, 1.0]), large)
    assert not _is_equal(large / 1e9 + torch.tensor([0.0, 1e-6]), large / 1e9)
    assert not _is_equal(large * float("nan"), large)


def test_a_refused_derivative_is_counted_by_itself(derivatives):
    matrices = Calls(derivatives, 1)
    matrices.add("_linalg_svd", (torch.ones(2, 3, dtype=torch.float64), True), {})
    found = compare_all(derivatives, matrices, "forward")["_linalg_svd"]
    assert (found.verdict, found.refused, found.calls) == ("refused", 1, 1)


def test_overloads_that_pytorch_does_not_call_itself_are_called(calls):
    found = calls("float64").found
    assert {"clamp_max", "fmod.Scalar", "xlogy.Scalar_Other"} <= found.keys()
    assert not isinstance(found["fmod.Scalar"][0][0][1], torch.Tensor)


def test_what_has_no_gradient_is_not_compared(derivatives):
    for compare in (compare_first, compare_second, compare_forward):
        with pytest.raises(NotComparableError, match="nothing is differentiable"):
            compare(Call(derivatives["sin"], (torch.arange(3),), {}))


def test_inputs_that_pytorch_does_not_differentiate_are_no_inputs(derivatives):
    x, target = torch.linspace(-1.0, 1.0, 4, dtype=torch.float64), torch.ones(4, dtype=torch.float64)
    call = Call(derivatives["soft_margin_loss"], (x, target), {})
    assert [each.equal(x) for each in call.inputs] == [True]
    assert compare_first(call) is None
    rows, grad = (
        torch.linspace(0.0, 1.0, 6, dtype=torch.float64).reshape(2, 3),
        torch.ones(1, dtype=torch.float64),
    )
    distances = torch.ops.aten._pdist_forward(rows, 2.0)
    # Its gradient by the rows is not implemented, which PyTorch says when the backward runs.
    call = Call(derivatives["_pdist_backward"], (grad, rows, 2.0, distances), {})
    assert not any(each.equal(rows) for each in call.inputs)


def test_the_counts_of_chosen_samples_are_printed(imported_table, capsys, monkeypatch, tmp_path):
    shutil.copy(imported_table / "products.py", tmp_path)
    options = ["--samples", "2", "--calls", "2", "--order", "first", "--format", "json"]
    options += ["--only", "addmm", "--only", "mv", "--only", "bmm"]
    monkeypatch.setattr(sys, "argv", ["derivatives", str(tmp_path), *options])
    status = main()
    counts = json.loads(capsys.readouterr().out)["first"]
    assert counts == {
        "compared": counts["equal"],
        "equal": counts["equal"],
        "right": 0,
        "refused": 0,
        "different": 0,
    }
    assert 3 <= counts["equal"] <= 10
    assert status == 0
