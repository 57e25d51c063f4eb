"""Operators in JAX: plain `jax.numpy`, ours over it, and ours as kernels, each as one jitted program.

    python benchmarks/jax_ops.py

Times are of values and gradients of the sum of a result's sines, so that the head is not linear.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from timing import interleaved

import pullback as pb
from pullback.jax import compile, function

SIZES = (4, 10_000, 1_000_000)


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, simple_pullback


@pb.formula
def mish(x):
    t = np.tanh(np.log1p(np.exp(x)))

    def mish_pullback(grad):
        return grad * (t + x * (1 - t * t) * pb.sigmoid(x))

    return x * t, mish_pullback


@pb.formula
def softmax_rows(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    y = e / np.sum(e, axis=-1, keepdims=True)

    def softmax_rows_pullback(grad):
        return y * (grad - np.sum(grad * y, axis=-1, keepdims=True))

    return y, softmax_rows_pullback


def _plain_mish(x: Any) -> Any:
    return x * jnp.tanh(jax.nn.softplus(x))


PLAIN: dict[str, Callable[..., Any]] = {
    "simple": lambda a, b: (a + b) * b,
    "mish": _plain_mish,
    "softmax_rows": lambda x: jax.nn.softmax(x, axis=-1),
}


def arguments(name: str, size: int) -> tuple[Any, ...]:
    """Normal numbers, in rows of a hundred where rows count."""
    rng = np.random.default_rng(0)
    shape = (size // min(size, 100), min(size, 100)) if name == "softmax_rows" else (size,)
    count = 2 if name == "simple" else 1
    return tuple(jnp.asarray(rng.standard_normal(shape), jnp.float32) for _ in range(count))


def run_of(call: Callable[..., Any], args: tuple[Any, ...], order: int) -> Callable[[], object]:
    """The jitted value, its gradients, or the gradients of a function of these, as a call that waits."""

    def scalar(*args: Any) -> Any:
        return jnp.sin(call(*args)).sum()

    every = tuple(range(len(args)))

    def slope(*args: Any) -> Any:
        return sum((gradient**2).sum() for gradient in jax.grad(scalar, every)(*args))

    made = jax.jit((call, jax.value_and_grad(scalar, every), jax.grad(slope, every))[order])
    return lambda: jax.block_until_ready(made(*args))


def main() -> None:
    """Print a row for each operator, size and order."""
    print(f"{'operator':14}{'entries':>9}  {'order':8}" + "".join(f"{form:>12}" for form in FORMS))
    for formula in (simple, mish, softmax_rows):
        for size in SIZES:
            args = arguments(formula.__name__, size)
            for order, what in enumerate(("value", "grad", "second")):
                calls = {form: run_of(make(formula), args, order) for form, make in FORMS.items()}
                found = interleaved(calls, rounds=20, seconds=1.0, least=0.002)
                times = "".join(f"{found[form].median * 1e6:10.1f}us" for form in FORMS)
                print(f"{formula.__name__:14}{size:9}  {what:8}{times}", flush=True)


FORMS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "jax": lambda formula: PLAIN[formula.__name__],
    "both": lambda formula: function(formula, "both"),
    "reverse": lambda formula: function(formula, "reverse"),
    "compiled": compile,
}


if __name__ == "__main__":
    main()
