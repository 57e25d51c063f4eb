"""What a loop carries begins as a number, which PyTorch's functions do not take."""

import numpy as np
import pytest

import pullback as pb

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch


@pb.derive_pullback
def largest_square(x):
    top = -np.inf
    for v in x:
        top = np.maximum(top, v * v)
    return top * x, top


@pb.derive_pullback
def cheapest(x):
    cost = np.zeros(x.shape[0])
    for j in range(x.shape[0]):
        best = np.inf
        for i in range(j + 1):
            best = np.minimum(best, x[i] * x[j] + cost[i])
        cost[j] = best
    return cost


@pb.derive_pullback
def root_of_sum(x, *, n: int = 3):
    total = 0.0
    for k in range(n):
        total = total + x[k] ** 2
    return np.sqrt(total + 1) * x, total


@pytest.mark.parametrize("formula", [largest_square, cheapest, root_of_sum], ids=lambda one: one.__name__)
def test_values_and_derivatives(formula):
    made = pullback.torch.function(formula)
    x = torch.tensor([0.3, -0.9, 0.5], dtype=torch.float64, requires_grad=True)
    wanted = formula(x.detach().numpy())
    torch.testing.assert_close(made(x), torch.utils._pytree.tree_map(torch.as_tensor, wanted))
    assert torch.autograd.gradcheck(made, (x,))
    assert torch.autograd.gradgradcheck(made, (x,))


def test_without_an_iteration_the_number_is_the_result():
    x = torch.tensor([0.3, -0.9], dtype=torch.float64, requires_grad=True)
    scaled, total = pullback.torch.function(root_of_sum)(x, n=0)
    torch.testing.assert_close((scaled, total), (x, torch.tensor(0.0, dtype=torch.float64)))
    assert torch.autograd.grad(scaled.sum(), x)[0].tolist() == [1.0, 1.0]


def test_it_does_not_widen_float32():
    x = torch.tensor([0.3, -0.9], requires_grad=True)
    assert [one.dtype for one in pullback.torch.function(largest_square)(x)] == [torch.float32] * 2
