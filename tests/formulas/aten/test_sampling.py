"""Second derivatives of samples of an image equal those that PyTorch computes."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402, F401 - where torch is
from pullback.formulas.aten import (  # noqa: E402 - where torch is
    grid_sampler_2d_double_backward,
    grid_sampler_3d_double_backward,
)

BILINEAR, NEAREST, BICUBIC = range(3)


def drawn(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding", [0, 1, 2], ids=["zeros", "border", "reflection"])
@pytest.mark.parametrize(
    ("axes", "mode"), [(2, BILINEAR), (2, NEAREST), (2, BICUBIC), (3, BILINEAR), (3, NEAREST)]
)
def test_gradients_of_gradients(axes, mode, padding, align_corners):
    torch.manual_seed(0)
    image, grid = drawn(2, 3, *(4, 5, 6)[:axes]), drawn(2, *(3, 2, 2)[:axes], axes)
    backward = getattr(torch.ops.aten, f"grid_sampler_{axes}d_backward")
    ours = {2: grid_sampler_2d_double_backward, 3: grid_sampler_3d_double_backward}[axes]
    grad = drawn(2, 3, *grid.shape[1:-1])
    results = backward(grad, image, grid, mode, padding, align_corners, [True, True])
    cotangents = [torch.randn_like(result) for result in results]
    inputs = grad, image, grid
    expected = torch.autograd.grad(results, inputs, cotangents, allow_unused=True, materialize_grads=True)
    found = ours(*cotangents, *inputs, mode, padding, align_corners, (True, True, True))
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine.detach(), theirs)


def test_undefined_and_unneeded_gradients():
    image, grid, grad = drawn(1, 1, 3, 3), drawn(1, 2, 2, 2), drawn(1, 1, 2, 2)
    found = grid_sampler_2d_double_backward(
        torch.ones_like(image), None, grad, image, grid, BILINEAR, 1, True, (True, False, False)
    )
    assert found[1:] == (None, None)
    assert torch.allclose(found[0], torch.ones_like(grad))  # of an image of ones the samples are ones
