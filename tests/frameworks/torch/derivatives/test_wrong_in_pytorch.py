"""Gradients that PyTorch itself has wrong, each shown by what it should be."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402, F401 - where torch is
from pullback.formulas.aten import (  # noqa: E402 - where torch is
    as_strided_scatter_backward,
    geometry,
    logcumsumexp_jvp,
    triangular_solve_jvp,
)


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


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_the_tangent_of_triangular_solve_reads_what_the_operator_ignores():
    import torch.autograd.forward_ad as forward

    b, a = torch.ones(2, 1, dtype=torch.float64), torch.eye(2, dtype=torch.float64)
    below = torch.tensor([[0.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
    with forward.dual_level():
        x = torch.ops.aten.triangular_solve(b, forward.make_dual(a, below), upper=True)[0]
        pytorch = forward.unpack_dual(x).tangent
    assert torch.equal(torch.ops.aten.triangular_solve(b, a + below, upper=True)[0], x)  # x does not change
    assert pytorch.tolist() == [[0.0], [-1.0]]
    assert triangular_solve_jvp(x, a, below, torch.zeros_like(b), True, False, False).tolist() == [
        [0.0],
        [0.0],
    ]


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_the_tangent_of_logcumsumexp_loses_its_digits():
    import torch.autograd.forward_ad as forward

    x = torch.tensor([-30.0, 10.0], dtype=torch.float64)
    x_t = torch.tensor([1.0, 0.0], dtype=torch.float64)
    with forward.dual_level():
        pytorch = forward.unpack_dual(torch.logcumsumexp(forward.make_dual(x, x_t), 0)).tangent
    assert logcumsumexp_jvp(x, x_t, 0)[0] == 1.0  # the first result is the first entry
    assert abs(pytorch[0] - 1.0) > 1e-2


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
