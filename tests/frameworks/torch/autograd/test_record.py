"""What is recorded, and what the backward makes of it: as PyTorch's autograd does, or refused."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import pytest

import pullback as pb

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from pullback.formulas.aten import MissingDerivativeError  # noqa: E402 - where torch is
from pullback.torch import autograd  # noqa: E402 - where torch is


@pytest.fixture
def x():
    return torch.tensor([0.5, 1.5, -2.0], dtype=torch.float64, requires_grad=True)


def test_pytorch_records_nothing(formulas, x):
    with autograd.record(formulas):
        y = x.sin()
    assert y.requires_grad
    assert torch.Tensor.grad_fn.__get__(y) is None


def test_derivatives_of_any_order(formulas, x):
    with autograd.record(formulas):
        y = (x**5).sum()
        for order in (5, 4, 3, 2):
            (y,) = autograd.grad(y.sum(), x, create_graph=True)
            assert y.requires_grad, order
    torch.testing.assert_close(y.detach(), 120 * x.detach())


def test_a_backward_is_recorded_outside_of_the_block(formulas, x):
    with autograd.record(formulas):
        y = (x**3).sum()
    (first,) = autograd.grad(y, x, create_graph=True)
    (second,) = autograd.grad(first, x, torch.ones_like(x))
    torch.testing.assert_close(second, 6 * x.detach())


def test_gradients_are_added_to_leaves(formulas, x):
    with autograd.record(formulas):
        y = (x * x).sum()
        autograd.backward(y, retain_graph=True)
        autograd.backward(y)
    torch.testing.assert_close(x.grad, 4 * x.detach())
    with pytest.raises(pb.errors.GraphFreedError, match=r"mul\.Tensor a second time"):
        autograd.backward(y)


def test_no_grad_records_nothing(formulas, x):
    with autograd.record(formulas), torch.no_grad():
        y = x * 2
    assert not y.requires_grad
    with pytest.raises(pb.errors.NotDifferentiableError, match="doesn't require grad"):
        autograd.grad(y, x)


def test_a_history_of_pytorch_is_refused(formulas, x):
    y = x * 2
    with autograd.record(formulas), pytest.raises(pb.errors.NotDifferentiableError, match="MulBackward0"):
        y.sin()


def test_a_saved_tensor_that_was_changed(formulas, x):
    with autograd.record(formulas):
        y = x * 1.0
        z = (y * y).sum()
        y.add_(1.0)
    with pytest.raises(
        pb.errors.SavedVariableError, match=r"mul.Tensor saved its input '(self|other)'"
    ) as error:
        autograd.backward(z)
    assert "test_record.py" in str(error.value)


def test_only_what_gradients_read_is_saved(formulas, x):
    data = torch.ones(3, dtype=torch.float64)
    with autograd.record(formulas):
        y = (x * data).sum()
        with torch.no_grad():
            x.add_(1.0)  # the gradient of x does not read x
    autograd.backward(y)
    torch.testing.assert_close(x.grad, data)


def test_a_tensor_of_which_only_the_shape_is_read_is_not_saved(formulas, x):
    with autograd.record(formulas):
        y = x[1:].sum()
        with torch.no_grad():
            x.zero_()
    autograd.backward(y)
    assert x.grad.tolist() == [0.0, 1.0, 1.0]


def test_lists_of_tensors(formulas, x):
    with autograd.record(formulas):
        a, b, _ = torch.cat([x, x * 2, torch.ones(3, dtype=x.dtype)]).split(3)
        c, d = torch._foreach_mul([a, b], [b, a])
        (gradient,) = autograd.grad((c * 2 + torch.stack([d, a])[0]).sum(), x)
    torch.testing.assert_close(gradient, 12 * x.detach())


def test_unused_inputs(formulas, x):
    other = torch.ones(2, requires_grad=True)
    with autograd.record(formulas):
        y = x.sum()
    with pytest.raises(pb.errors.UnusedInputError, match="input 1"):
        autograd.grad(y, [x, other], retain_graph=True)
    assert autograd.grad(y, [x, other], retain_graph=True, allow_unused=True)[1] is None
    assert autograd.grad(y, [x, other], materialize_grads=True)[1].tolist() == [0.0, 0.0]


def test_operators_without_a_formula_are_refused(formulas, x):
    with (
        autograd.record(formulas),
        pytest.raises(MissingDerivativeError, match=r"derivative of _histogramdd"),
    ):
        torch.histogramdd(torch.stack([x, x], 1), [2, 2])


def test_out_is_refused(formulas, x):
    with autograd.record(formulas), pytest.raises(pb.errors.NotDifferentiableError, match="out="):
        torch.sin(x, out=torch.empty(3, dtype=x.dtype))


def test_a_graph_goes_without_the_collector(formulas, x):
    gc.collect()
    gc.disable()
    try:
        with autograd.record(formulas):
            y = (x.exp() * x.sigmoid()).tanh() * 2
            y[0].mul_(2.0)
            alive = weakref.ref(y._pullback.node)
            (gradient,) = autograd.grad(y.sum(), x, create_graph=True)
        del y, gradient
        assert alive() is None
    finally:
        gc.enable()


def test_a_recorded_tensor_tells_its_node(formulas, x):
    with autograd.record(formulas):
        assert (x * 1).sin_().grad_fn.name == "sin_"  # of the same formula
        y = x.sin()
        assert x.is_leaf
        assert not y.is_leaf
        assert y.grad_fn.name == "sin"
        assert y.grad_fn.next_functions[0][0].tensor is x
        assert y.detach().grad_fn is None


def test_a_pickled_tensor_is_a_plain_one(formulas, x):
    with autograd.record(formulas):
        y = x.sin()
    twin = pickle.loads(pickle.dumps(y))
    assert type(twin) is torch.Tensor
    assert twin.is_leaf
    assert torch.equal(twin, y)


def test_a_copy_of_a_tensor_is_a_leaf(formulas, x):
    with autograd.record(formulas):
        x.sum()
        twin = copy.deepcopy(x)
        autograd.backward((twin * 3).sum())
    assert twin.grad.tolist() == [3.0, 3.0, 3.0]
    assert x.grad is None
