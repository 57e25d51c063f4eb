"""Operators of PyTorch made of formulas: values, and derivatives of every order and mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is
from tests.sampling import sampled  # noqa: E402 - where torch is

from .cases import CASES, Case, held, once, round_through  # noqa: E402 - where torch is
from .operands import arrays, of_tensors, tensors  # noqa: E402 - where torch is

# PyTorch's own forward mode decomposes operators by what it deprecates.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
]

EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
NAMES = [name for name, case in CASES.items() if case.smooth]
SMOOTH = pytest.mark.parametrize("case", [CASES[name] for name in NAMES], ids=NAMES)
HALF = pytest.mark.parametrize("name", sampled(NAMES, 2))


def total(found: Any) -> Any:
    """A number that is not linear in what was found."""
    parts = found if isinstance(found, tuple) else (found,)
    return sum((torch.sin(part) * part).sum() for part in parts)


@EVERY
@pytest.mark.parametrize(
    ("dtype", "rtol"), [("float64", 1e-12), pytest.param("float32", 1e-5, marks=pytest.mark.slow)]
)
def test_values_are_those_of_numpy(case: Case, dtype: str, rtol: float) -> None:
    operands = arrays(case, dtype)
    wanted = case.formula(*operands, **case.attributes)
    found = pullback.torch.function(case.formula)(*tensors(operands), **case.attributes)
    pairs = zip(wanted, found, strict=True) if isinstance(wanted, tuple) else [(wanted, found)]
    for want, have in pairs:
        have = have.detach().numpy()
        assert (have.shape, have.dtype) == (np.shape(want), np.asarray(want).dtype)
        np.testing.assert_allclose(have, want, rtol=rtol, atol=rtol)


@HALF
def test_gradients_in_both_modes_and_batched(name: str) -> None:
    case = CASES[name]
    call, inputs = of_tensors(case, tensors(arrays(case)))
    assert torch.autograd.gradcheck(
        call,
        inputs,
        check_forward_ad=case.forward,
        check_batched_grad=case.forward,
        check_batched_forward_grad=case.forward,
    )


@HALF
def test_second_order(name: str) -> None:
    case = CASES[name]
    call, inputs = of_tensors(case, tensors(arrays(case)))
    assert torch.autograd.gradgradcheck(
        call,
        inputs,
        check_fwd_over_rev=case.forward,
        check_rev_over_rev=True,
        check_batched_grad=case.forward,
    )


@HALF
def test_third_order_between_a_nonlinear_head_and_tail(name: str) -> None:
    case = CASES[name]
    call, inputs = of_tensors(case, tensors(arrays(case)))

    def second(*given: Any) -> Any:
        heads = [torch.tanh(x) + x for x in given]
        first = torch.autograd.grad(total(call(*heads)), given, create_graph=True)
        return torch.autograd.grad(sum((g * g).sum() for g in first), given, create_graph=True)

    assert torch.autograd.gradcheck(second, inputs, atol=1e-4, rtol=1e-3)


def test_a_straight_through_gradient_is_its_own_derivative() -> None:
    x = torch.tensor([0.3, 1.7], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(pullback.torch.function(round_through)(x).sum(), x, create_graph=True)
    assert first.tolist() == [1, 1]


def test_a_stopped_gradient_is_a_constant_in_each_derivative() -> None:
    x = torch.tensor([0.3, 1.7], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(pullback.torch.function(held)(x).sum(), x, create_graph=True)
    torch.testing.assert_close(first, torch.exp(x))
    assert not first.requires_grad


def test_a_barrier_refuses_second_derivatives_in_every_way() -> None:
    operator = pullback.torch.function(once)
    x = torch.tensor([0.3, 1.7], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(operator(x).sum(), x, create_graph=True)
    torch.testing.assert_close(first, (1 + x) * torch.exp(x))
    with pytest.raises(RuntimeError, match="once has no second derivative"):
        torch.autograd.grad(first.sum(), x, allow_unused=True)
    with pytest.raises(RuntimeError, match="once has no second derivative"):
        torch.func.jacfwd(torch.func.grad(lambda x: operator(x).sum()))(x)


def test_an_undefined_gradient_is_no_zero_that_is_multiplied() -> None:
    """The radius has a gradient at the origin's neighbour where the angle's would be infinite."""
    operator = pullback.torch.function(CASES["polar"].formula)
    x = torch.tensor([1e-200], dtype=torch.float64, requires_grad=True)
    y = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    radius, _ = operator(x * 1e200, y)
    assert torch.isfinite(torch.autograd.grad(radius.sum(), x)[0]).all()


def test_only_the_gradients_that_are_needed_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = pullback.torch.function(CASES["simple"].formula)
    reduce, seen = operator.module._sum_to, []
    monkeypatch.setattr(operator.module, "_sum_to", lambda *a, **k: seen.append(a) or reduce(*a, **k))
    a = torch.ones(3, 1, requires_grad=True)
    operator(a, torch.ones(4)).sum().backward()
    assert len(seen) == 1
