"""Functions of formulas in the graphs of torch.compile."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    # What PyTorch does in forward mode, and while it compiles.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
]


@pb.formula
def rounded(x):
    def rounded_pullback(grad):
        return grad

    return np.round(x), rounded_pullback


@pb.formula(surrogate=True)
def halved(x):
    def halved_pullback(grad):
        return grad / 2

    return x * 1.0, halved_pullback


@pb.derive_pullback
def recurrence(x, *, n: int = 3):
    states = []
    h = x
    for _ in range(n):
        states.append(h)
        h = np.tanh(h * x)
    return h * states[0]


@pb.derive_pullback
def standardized(x):
    mean = x.mean(axis=-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(spread + 1e-5)


@pb.derive_pullback
def clipped_in_place(x):
    y = x * 1.0
    y[y < 0] = 0
    return y * x


@pb.derive_pullback
def by_parts(xs: list[pb.Tensor], w):
    total = 0.0
    for x in xs:
        total = total + np.sin(x * w)
    return total


def compiled(function: Any) -> Any:
    torch._dynamo.reset()
    return torch.compile(function, backend="aot_eager", fullgraph=True)


SINES = pullback.torch.function(by_parts)
CALLS: dict[str, Callable[[Any], Any]] = {
    "rounded": pullback.torch.function(rounded),
    "halved": pullback.torch.function(halved),
    "recurrence": pullback.torch.function(recurrence),
    "standardized": pullback.torch.function(standardized),
    "clipped_in_place": pullback.torch.function(clipped_in_place),
    "by_parts": lambda x: SINES([x, x + 1], x),
}
TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "grad": torch.func.grad,
    "grad of grad": lambda f: torch.func.grad(lambda x: torch.func.grad(f)(x).sum()),
    "hessian": torch.func.hessian,
    "jacfwd": torch.func.jacfwd,
}
X = torch.tensor([0.3, -0.4, 1.7], dtype=torch.float64)


@pytest.mark.parametrize("name", CALLS)
def test_one_graph_has_the_value_and_the_gradient(name: str) -> None:
    call, both = CALLS[name], []
    for function in (call, compiled(call)):
        x = X.clone().requires_grad_()
        made = function(x)
        (gradient,) = torch.autograd.grad((made * made).sum(), x)
        both.append((made.detach(), gradient))
    torch.testing.assert_close(both[1], both[0])


@pytest.mark.parametrize("case", sampled(list(product(CALLS, TRANSFORMS)), 5, "-".join))
def test_derivatives_inside_are_those_of_the_closure(case: tuple[str, str]) -> None:
    name, transform = case
    call = CALLS[name]
    derivative = TRANSFORMS[transform](lambda x: (call(x) ** 2).sum())
    torch.testing.assert_close(compiled(derivative)(X), derivative(X))


def test_the_tracer_is_not_imported_for_a_function_that_is_not_traced(monkeypatch: Any) -> None:
    kept: list[Any] = []
    allow = torch.compiler.allow_in_graph
    monkeypatch.setattr(torch.compiler, "allow_in_graph", lambda one: kept.append(one) or allow(one))
    call = pullback.torch.function(rounded)
    torch.func.grad(lambda x: call(x).sum())(X)
    assert not kept
    torch.testing.assert_close(compiled(torch.func.grad(lambda x: call(x).sum()))(X), torch.ones_like(X))
    assert kept


def test_a_branch_on_values_runs_beside_the_graph() -> None:
    @pb.derive_pullback
    def either(x):
        return np.sin(x) if x.sum() > 0 else np.cos(x)

    operator = pullback.torch.function(either)
    torch._dynamo.reset()
    found = torch.compile(lambda x: operator(x) * 2, backend="eager")(X)
    torch.testing.assert_close(found, torch.sin(X) * 2)


def test_products_under_autocast_are_differentiated_twice() -> None:
    @pb.formula
    def projected(x, w):
        def projected_pullback(grad):
            return grad @ w.T, x.T @ grad

        return x @ w, projected_pullback

    operator = pullback.torch.function(projected)
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(3, 4, requires_grad=True)
    for inside in (False, True):
        with torch.autocast("cpu"):
            made = operator(x, w).float().square().sum()
        with torch.autocast("cpu", enabled=inside):
            (first,) = torch.autograd.grad(made, x, create_graph=True)
            (second,) = torch.autograd.grad(first.sum(), w)
        assert first.dtype == second.dtype == torch.float32
        torch.testing.assert_close(first, torch.full((2, 3), 24.0))
        torch.testing.assert_close(second, torch.full((3, 4), 24.0))
    assert operator(x.double(), w.double()).dtype == torch.float64


def test_graphs_of_two_formulas_are_told_apart() -> None:
    torch._dynamo.reset()
    for call, slope in ((CALLS["rounded"], 1.0), (CALLS["halved"], 0.5)):

        def applied(x: Any, call: Any = call) -> Any:
            return call(x)

        x = X.clone().requires_grad_()
        torch.compile(applied, backend="eager", fullgraph=True)(x).sum().backward()
        torch.testing.assert_close(x.grad, torch.full_like(X, slope))


@pb.derive_pullback
def turned(x, y):
    return x * np.cos(y), x * np.sin(y)


@pb.derive_pullback
def scaled_alone(x):
    return (x * 2,)


def test_symbolic_tracing_has_results_as_a_call_has() -> None:
    two, one = pullback.torch.register("traced_symbolically", turned, scaled_alone)

    class Both(torch.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return two(x, y), one(x)

    x, y = torch.ones(2), torch.tensor([0.3, 2.0])
    torch.testing.assert_close(torch.fx.symbolic_trace(Both())(x, y), (two(x, y), (2 * x,)))


@pb.derive_pullback
def product_sine(a, b):
    return np.sin(a @ b)


@pytest.mark.parametrize("device", ["meta", "cpu"])
def test_products_are_computed_where_autocast_is_not(device: str) -> None:
    operands = [torch.ones(size, device=device, requires_grad=True) for size in ((2, 3), (3, 4))]
    with torch.autocast("cpu"):
        found = pullback.torch.function(product_sine)(*operands)
    found.sum().backward()
    assert found.dtype == (torch.float32 if device == "meta" else torch.bfloat16)
    assert [x.grad.shape for x in operands] == [(2, 3), (3, 4)]
