"""Each form of a formula beside PyTorch's derivatives of the same forward: three orders, in both dtypes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is

from .cases import CASES, Case  # noqa: E402 - where torch is
from .operands import arrays, composition, of_tensors, tensors, three_orders  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch

NAMESPACE = "pullback_composition_tests"
FORMS: dict[str, Callable[[Any], Any]] = {
    "function": pullback.torch.function,
    "register": lambda formula: pullback.torch.register(f"{NAMESPACE}_by_operators", formula),
    "compiled": lambda formula: pullback.torch.register(NAMESPACE, formula, compiled=True),
}
# Pointwise, a reduction, several results, a mask; all of them in every form take minutes.
QUICK = ("simple", "logsumexp", "polar", "rectified")


@cache
def operator_of(form: str, formula: Any) -> Any:
    return FORMS[form](formula)


@cache
def composed(formula: Any) -> Any:
    return composition(formula)


def agree(case: Case, operator: Any, dtype: str) -> None:
    """Raise where an operator has other derivatives than PyTorch's operations."""
    operands = tensors(arrays(case, dtype))
    call, inputs = of_tensors(case, operands, operator)
    wanted, _ = of_tensors(case, operands, composed(case.formula))
    relative = 1e-9 if dtype == "float64" else 2e-3
    for have, want in zip(three_orders(call, inputs), three_orders(wanted, inputs), strict=True):
        assert have.dtype == want.dtype  # float64, where the formula has an array of NumPy's own
        torch.testing.assert_close(
            have, want, rtol=relative, atol=relative * float(want.detach().abs().max().clip(1))
        )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=n, marks=[] if n in QUICK else pytest.mark.slow) for n, c in CASES.items()]
)
def test_derivatives_are_those_of_pytorchs_own_operations(case: Case, dtype: str, form: str) -> None:
    agree(case, operator_of(form, case.formula), dtype)


def test_there_are_forty_formulas() -> None:
    assert len({case.formula for case in CASES.values()}) >= 40


def test_what_is_compared_with_does_not_read_the_closure() -> None:
    """A straight-through gradient is the formula's, and rounding's is zero."""
    x = torch.tensor([0.3, 1.7], requires_grad=True)
    case = CASES["swish"]
    found = composed(case.formula)(x)
    assert "Mul" in found.grad_fn.name()
    assert composed(CASES["round_through"].formula)(x).grad_fn.name() == "AddBackward0"
