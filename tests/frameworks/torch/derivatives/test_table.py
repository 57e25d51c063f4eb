"""Imported formulas by the operators that they are of."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from pullback.torch.derivatives.table import Derivative, Derivatives  # noqa: E402 - where torch is

FORMULA = '''
import pullback as pb
from pullback import aten


@pb.formula
def gather(self, index, *, dim: int, sparse_grad: bool = False):
    """gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"""
    result = aten.gather(self, dim, index, sparse_grad=sparse_grad)

    def gather_pullback(grad):
        return aten.gather_backward(grad, self, dim, index, sparse_grad), None

    return result, gather_pullback


@pb.formula(nondifferentiable=(1,))
def cummax(self, *, dim: int):
    """cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)"""
    values, indices = aten.cummax(self, dim)

    def cummax_pullback(grad, grad_indices):
        return aten.cummaxmin_backward(grad, self, indices, dim)

    return (values, indices), cummax_pullback


@pb.formula
def sum_AutogradNestedTensor(self):
    """sum(Tensor self) -> Tensor"""
    return aten.sum(self), lambda grad: grad
'''


@pytest.fixture
def derivatives(tmp_path):
    (tmp_path / "some.py").write_text(FORMULA, encoding="utf-8")
    return Derivatives(tmp_path)


def test_a_formula_is_found_by_its_operator(derivatives):
    assert list(derivatives) == ["gather", "cummax"]  # a variant for other tensors is not for these
    assert derivatives["cummax"].plain == (1,)
    assert derivatives["gather"].overload is torch.ops.aten.gather.default


def test_an_operator_whose_entry_is_for_nested_tensors_is_composite(derivatives):
    assert not derivatives["gather"].is_composite
    assert Derivative("matmul", torch.matmul, ()).is_composite


def test_a_call_is_bound_to_inputs_and_attributes(derivatives):
    x, index = torch.ones(2, 2), torch.zeros(1, 2, dtype=torch.int64)
    inputs, attributes = derivatives["gather"].bound((x, 0, index), {})
    assert inputs[0] is x
    assert inputs[1] is index
    assert attributes == {"dim": 0, "sparse_grad": False}


def test_a_formula_runs(derivatives):
    x = torch.tensor([1.0, 3.0, 2.0])
    (values, indices), closure = derivatives["cummax"].function(x, dim=0)
    assert values.tolist() == [1.0, 3.0, 3.0]
    assert closure(torch.ones(3), None).tolist() == [1.0, 2.0, 0.0]
    assert indices.tolist() == [0, 1, 1]
