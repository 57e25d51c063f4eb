"""`first_order_only`: no second derivative goes through, whichever way it takes."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch


@pullback.torch.first_order_only
class Cube(torch.autograd.Function):
    """Its slope goes by the context, where nothing would see a second derivative."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        ctx.slope = 3 * scale * x * x
        return scale * x**3

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.slope, None


def gradient(x: Any) -> Any:
    return torch.autograd.grad(Cube.apply(torch.sin(x), 2.0).sum(), x, create_graph=True)[0]


def test_the_first_derivative_is_as_it_was() -> None:
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(gradient(x), 6 * torch.sin(x) ** 2 * torch.cos(x))
    assert torch.autograd.gradcheck(lambda x: Cube.apply(x, 2.0), (x,))


def test_second_derivatives_raise_in_every_way() -> None:
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    message = "Cube has a first derivative only"
    with pytest.raises(RuntimeError, match=message):
        torch.autograd.grad(gradient(x).sum(), x)
    with pytest.raises(RuntimeError, match=message):
        torch.autograd.grad(gradient(x).sum(), x, allow_unused=True)
    with pytest.raises(RuntimeError, match=message):
        gradient(x).sum().backward()
    with pytest.raises(RuntimeError, match=message):
        torch.autograd.functional.hessian(lambda x: Cube.apply(x, 2.0).sum(), x)


def test_once_differentiable_lets_the_same_second_derivative_be_wrong() -> None:
    """Why this exists: PyTorch's own decorator raises nothing here, and 12 x is lost."""

    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.slope = 6 * x * x
            return 2 * x**3

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.slope

    x = torch.tensor([0.5], requires_grad=True)
    (first,) = torch.autograd.grad((Once.apply(x) * x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, allow_unused=True)
    assert second is not None
    assert abs(float(second) - 24 * 0.5**2) > 1


def test_a_function_that_is_no_class_is_refused() -> None:
    with pytest.raises(TypeError, match="decorates a class"):
        pullback.torch.first_order_only(lambda x: x)
