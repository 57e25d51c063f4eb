"""Second derivatives inside of JAX's loops, where JAX drops the rule of a custom_jvp."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

jax = pytest.importorskip("jax")
jnp = jax.numpy

from pullback.jax import compile, function  # noqa: E402 - where JAX is

pytestmark = pytest.mark.jax


@pb.formula
def rounded(x):
    def rounded_pullback(grad):
        return grad

    return np.round(x), rounded_pullback


@pb.formula
def softplus(x):
    e = np.exp(x)

    def softplus_pullback(grad):
        return grad * e / (1 + e)

    return np.log1p(e), softplus_pullback


@pb.formula(first_order_only=True)
def once(x):
    return x * x, lambda grad: 2 * grad * x


LOOPS: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "scan": lambda op: lambda x: jax.lax.scan(lambda c, t: (c * op(t), op(t) ** 2), 1.0, x)[1].sum(),
    "map": lambda op: lambda x: (jax.lax.map(op, x) ** 2).sum(),
    "fori_loop": lambda op: lambda x: jax.lax.fori_loop(0, 2, lambda i, c: op(c) ** 2, x).sum(),
    "vmap": lambda op: lambda x: (jax.vmap(op)(x) ** 2).sum(),
    "checkpoint": lambda op: lambda x: (jax.checkpoint(op)(x) ** 2).sum(),
}
X = np.array([0.3, 0.7, 1.2])


def by_differences(gradient: Callable[[Any], Any]) -> np.ndarray[Any, Any]:
    rows = [(gradient(X + step) - gradient(X - step)) / 2e-5 for step in 1e-5 * np.eye(3)]
    return np.array(rows)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("mode", ["both", "reverse"])
def test_the_closure_is_differentiated_and_not_the_text(loop: str, mode: Any) -> None:
    looped = LOOPS[loop](function(rounded, mode))
    wanted = np.diag([0.0, 12.0, 12.0] if loop == "fori_loop" else [2.0] * 3)
    np.testing.assert_allclose(jax.hessian(looped)(X), wanted)
    np.testing.assert_allclose(jax.jit(jax.jacrev(jax.jacrev(looped)))(X), wanted)


@pytest.mark.compiler
@pytest.mark.parametrize("case", sampled(list(product(LOOPS, ["both", "reverse"])), 6, "-".join))
def test_kernels_are_differentiated_twice(case: tuple[str, Any]) -> None:
    loop, mode = case
    looped = LOOPS[loop](compile(softplus, mode))
    wanted = by_differences(jax.grad(looped))
    np.testing.assert_allclose(jax.hessian(looped)(X), wanted, atol=1e-6)
    np.testing.assert_allclose(jax.jacrev(jax.jacrev(looped))(X), wanted, atol=1e-6)


@pytest.mark.parametrize("loop", ["scan", "fori_loop"])
def test_second_derivatives_that_are_refused_stay_so(loop: str) -> None:
    with pytest.raises(pb.errors.BarrierError, match="first_order_only"):
        jax.hessian(LOOPS[loop](function(once)))(X)


def test_a_batch_in_which_one_operand_stands_still() -> None:
    @pb.formula
    def scaled(x, y):
        return x * y, lambda grad: (grad * y, grad * x)

    operator = function(scaled)
    slopes = jax.vmap(jax.grad(lambda x, y: operator(x, y).sum()), (0, None))(jnp.ones((2, 3)), X)
    np.testing.assert_allclose(slopes, np.stack([X, X]))
    columns = jax.vmap(operator, (1, 0), 1)(jnp.ones((2, 3)), X)
    np.testing.assert_allclose(columns, np.stack([X, X]))
