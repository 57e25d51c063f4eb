"""Published classes rewritten as formulas: their Hessians are those of finite differences, theirs are not."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("torch_classes", ROOT / "examples/torch_classes/formulas.py")
assert _SPEC is not None
assert _SPEC.loader is not None
FORMULAS = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(FORMULAS)


def given(*numbers: float) -> Any:
    return torch.tensor(numbers, dtype=torch.float64)


Y = given(1.0, 0.0, 1.0)
ROWS = torch.eye(3, dtype=torch.float64)[:2]
# The operator by its formula, at what point; what comes after the first operand is constant.
POINTS: dict[str, tuple[Any, ...]] = {
    "mish": (given(-0.4, 0.3, 1.1),),
    "swish": (given(-0.4, 0.3, 1.1),),
    "focal_loss": (given(-0.4, 0.3, 1.1), Y),
    "soft_dice_loss": (given(-0.4, 0.3, 1.1), Y),
    "log_normal_cdf": (given(-0.4, 0.3, 1.1),),
    "rbf_covariance": (given(0.1, 0.7), given(0.4, -0.3), given(0.8)[0]),
    "matern_covariance": (given(0.1, 0.7), given(0.4, -0.3), given(0.8)[0]),
    "poincare_distance": (given(0.1, 0.4), given(-0.2, 0.3)),
    "prior_cross_entropy": (
        torch.linspace(-1, 1, 6, dtype=torch.float64).reshape(2, 3),
        ROWS,
        given(0.5, 0.3, 0.2),
    ),
    "gp_likelihood": (given(0.1, 0.7, 1.6), given(0.4, -0.3, 0.5)),
}


def of_first(operator: Any, name: str) -> Any:
    """The sum of what the operator gives, as a function of its first operand."""
    rest = POINTS[name][1:]
    return lambda x: operator(x, *rest).sum()


def as_published(operator: Any) -> Any:
    """The operator as a class that saves its intermediates: what flows into them is nobody's."""
    formula = operator.formula.operator.formula
    *_, kind = (  # behind those of the library's formulas that its derivative calls
        value
        for key, value in vars(operator.module).items()
        if isinstance(value, type)
        and issubclass(value, torch.autograd.Function)
        and key + "WithTangents" in vars(operator.module)
    )

    class Published(kind):  # type: ignore[misc, valid-type]  # made at run time
        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            count = formula.results
            return kind.backward(ctx, *gradients[:count], *[None] * (len(gradients) - count))

    defaults = [param.default.value for param in formula.attributes]
    return lambda *operands: Published.apply(*operands, *defaults)[0]


def hessian(function: Any, x: Any) -> Any:
    """By automatic differentiation; what is lost on the way is zero."""
    x = x.clone().requires_grad_()
    (first,) = torch.autograd.grad(function(x), x, create_graph=True)
    rows = [
        torch.autograd.grad(one, x, retain_graph=True, materialize_grads=True)[0] for one in first.reshape(-1)
    ]
    return torch.stack(rows).reshape(x.numel(), x.numel())


def by_differences(function: Any, x: Any) -> Any:
    """Central differences of the gradient."""
    rows, step = [], 1e-5
    for k in range(x.numel()):
        shift = torch.zeros_like(x)
        shift.view(-1)[k] = step
        ahead, back = (
            torch.autograd.grad(function(at), at)[0]
            for at in ((x + shift).requires_grad_(), (x - shift).requires_grad_())
        )
        rows.append(((ahead - back) / (2 * step)).reshape(-1))
    return torch.stack(rows)


def row(name: str) -> tuple[float, float, float]:
    """The first entry of the Hessian: as published, of the formula, by finite differences."""
    operator, x = pullback.torch.function(getattr(FORMULAS, name)), POINTS[name][0]
    function = of_first(operator, name)
    published = hessian(of_first(as_published(operator), name), x)
    return tuple(
        float(found[0, 0]) for found in (published, hessian(function, x), by_differences(function, x))
    )  # type: ignore[return-value]  # three, as many as there are


@pytest.mark.parametrize("name", POINTS)
def test_the_hessian_is_that_of_finite_differences(name: str) -> None:
    operator, x = pullback.torch.function(getattr(FORMULAS, name)), POINTS[name][0]
    function = of_first(operator, name)
    wanted = by_differences(function, x)
    torch.testing.assert_close(hessian(function, x), wanted, atol=1e-7, rtol=1e-6)
    published = of_first(as_published(operator), name)
    leaf = x.clone().requires_grad_()
    assert torch.autograd.grad(published(leaf), leaf)[0].equal(torch.autograd.grad(function(leaf), leaf)[0])
    assert (hessian(published, x) - wanted).abs().max() > 1e-2


def test_the_table_of_the_page_is_what_runs() -> None:
    page = (ROOT / "docs" / "pytorch.md").read_text(encoding="utf-8")
    for name in POINTS:
        published, right, differences = row(name)
        assert f"| `{name}` | {published:.4f} | {right:.4f} | {differences:.4f} |" in page


if __name__ == "__main__":
    for name in POINTS:
        print("| `{}` | {:.4f} | {:.4f} | {:.4f} |".format(name, *row(name)))
