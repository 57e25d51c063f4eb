"""Gradients that PyTorch itself has wrong, each shown by what it should be."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402, F401
from pullback.formulas.aten import as_strided_scatter_backward, geometry  # noqa: E402


def test_as_strided_scatter_drops_the_gradient_of_what_stays():
    x = torch.arange(4.0, requires_grad=True)
    y = torch.as_strided_scatter(x, torch.zeros(2), (2,), (1,), 0)
    assert y.tolist() == [0.0, 0.0, 2.0, 3.0]  # the last two are those of x
    grad = torch.ones(4)
    (pytorch,) = torch.autograd.grad(y, x, grad)
    assert pytorch.tolist() == [1.0, 1.0, 0.0, 0.0]
    ours = as_strided_scatter_backward(grad, geometry(x), geometry(torch.zeros(2)), (2,), (1,), 0)
    assert ours.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_polar_has_the_gradient_of_its_result_for_that_of_the_angle():
    r = torch.tensor([0.0, -2.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = torch.polar(r, torch.zeros(3, dtype=torch.float64)).real
    (pytorch,) = torch.autograd.grad(y.sum(), r)
    assert pytorch.tolist() == [0.0, -1.0, 1.0]  # y is r itself


# PyTorch's forward mode compiles its decompositions by what it deprecates itself.
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize(("function", "right"), [("minimum", [1.0, 0.0]), ("maximum", [0.0, 1.0])])
def test_the_tangent_of_a_constant_is_added(function, right):
    import torch.autograd.forward_ad as forward

    clamped = {"minimum": torch.clamp_max, "maximum": torch.clamp_min}[function]
    foreach = getattr(torch, f"_foreach_{function}")
    with forward.dual_level():
        x = forward.make_dual(torch.tensor([1.0, 5.0]), torch.ones(2))
        assert forward.unpack_dual(clamped(x, 3.0)).tangent.tolist() == right
        assert forward.unpack_dual(foreach([x], 3.0)[0]).tangent.tolist() != right


def test_layer_norm_without_a_weight_loses_a_term_of_its_second_derivative():
    x, b = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((2, 4), (4,)))

    def normalized(x, b):
        return torch.nn.functional.layer_norm(x, (4,), None, b)

    assert torch.autograd.gradcheck(normalized, (x, b))
    assert not torch.autograd.gradgradcheck(normalized, (x, b), raise_exception=False)


@pytest.mark.parametrize("result", [1, 2])
def test_group_norm_drops_a_gradient_that_reaches_one_of_its_statistics(result):
    x = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    y = torch.ops.aten.native_group_norm(x, None, None, 2, 4, 3, 2, 1e-5)[result]
    (pytorch,) = torch.autograd.grad((y * y).sum(), x, allow_unused=True)
    assert pytorch is None
