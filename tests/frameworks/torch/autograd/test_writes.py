"""In-place operators and views: gradients are PyTorch's, of each order, or the write is refused."""

from __future__ import annotations

import pytest

import pullback as pb

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from pullback.torch import autograd  # noqa: E402 - where torch is


def one(a):
    b = a * 2
    b.mul_(a).add_(1).sin_()
    return (b * b).sum()


def into_views_of_a_result(a):
    b = a * 2
    row, flat = b[1], b.view(-1)
    row.mul_(a[0])
    flat[3:5].mul_(a[3, :2])
    return (b**3).sum() + (row * flat[:3]).sum()


def into_a_constant(a):
    c = torch.zeros(4, 3, dtype=a.dtype)
    c[:, 0] = a[:, 1]
    c.t()[1] = a[:, 2].exp()
    c[0] *= a[2]
    return (c**3).sum()


def through_lists_of_views(a):
    b = a * 1
    first, second = b.split(2)
    first.copy_(second * 2)
    for column in b.unbind(1):
        column.add_(a[:, 0])
    return (b * b).sum()


def shown_otherwise_in_place(a):
    b = a * 2
    row = b[2]
    b.t_()
    row.mul_(a[0])
    b.unsqueeze_(0).mul_(3)
    return (b**2).sum() + row.sum()


def as_complex_numbers(a):
    b = a[:, :2] * 1
    z = torch.view_as_complex(b.contiguous())
    z.mul_(2 + 1j)
    torch.view_as_real(z)[0].mul_(a[1, :2])
    return z.abs().pow(2).sum() + z.imag.pow(3).sum()


def by_index_and_mask(a):
    b = a.clone()
    b[torch.tensor([0, 2])] = a[:2] * a[2:]
    b.masked_fill_(a > 1, 0.5)
    b.index_add_(0, torch.tensor([1]), a[:1].sin())
    return (b**3).sum()


FUNCTIONS = [
    one, into_views_of_a_result, into_a_constant, through_lists_of_views, shown_otherwise_in_place,
    as_complex_numbers, by_index_and_mask,
]  # fmt: skip


def derivatives(function, grad, a):
    value = function(a)
    (first,) = grad(value, a, create_graph=True)
    (second,) = grad((first**2).sum(), a, create_graph=True)
    (third,) = grad((second**2).sum(), a)
    return [each.detach() for each in (value, first, second, third)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_gradients_through_writes_equal_those_of_pytorch(formulas, function):
    torch.manual_seed(0)
    a = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    if function is through_lists_of_views:  # which PyTorch refuses
        expected = derivatives(lambda a: through_lists_of_views_functional(a), torch.autograd.grad, a)
    else:
        expected = derivatives(function, torch.autograd.grad, a)
    with autograd.record(formulas):
        found = derivatives(function, autograd.grad, a)
    for each, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(each, wanted)


def through_lists_of_views_functional(a):
    _, second = a.split(2)
    b = torch.cat([second * 2, second]) + a[:, :1]
    return (b * b).sum()


@pytest.fixture
def leaf():
    return torch.ones(3, requires_grad=True)


def test_a_leaf_is_not_written(formulas, leaf):
    with autograd.record(formulas):
        with pytest.raises(pb.errors.MutationError, match=r"mul_\.Tensor writes into a leaf"):
            leaf.mul_(2)
        with pytest.raises(pb.errors.MutationError, match=r"fill_\.Scalar writes into a view of a leaf"):
            leaf[0].fill_(2)
        with torch.no_grad():
            leaf.mul_(2)
    assert leaf.tolist() == [2.0, 2.0, 2.0]


def test_a_view_that_was_made_with_recording_off_is_not_written(formulas, leaf):
    with autograd.record(formulas):
        y = leaf * 2
        with torch.no_grad():
            view = y[0]
        with pytest.raises(pb.errors.MutationError, match="made with recording off"):
            view.mul_(2)
        y.mul_(3)
        with pytest.raises(pb.errors.MutationError, match="ambiguous"):
            view.sin()


def test_a_detached_view_has_no_history(formulas, leaf):
    with autograd.record(formulas):
        y = leaf * 2
        detached = y.detach()
        assert not (detached * 2).requires_grad
        z = (y * leaf).sum()
        detached.zero_()
    with pytest.raises(pb.errors.SavedVariableError, match="changed in place"):
        autograd.backward(z)
