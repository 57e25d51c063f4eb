"""The operators of `workloads` in JAX, each compiled as one program with its first or second gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from workloads import Workload


def _simple(a: Any, b: Any) -> Any:
    return (a + b) * b


def _gelu_tanh(x: Any) -> Any:
    return jax.nn.gelu(x, approximate=True)


def _lstm_cell(zi: Any, zf: Any, zg: Any, zo: Any, c: Any) -> Any:
    c_next = jax.nn.sigmoid(zf) * c + jax.nn.sigmoid(zi) * jnp.tanh(zg)
    return jax.nn.sigmoid(zo) * jnp.tanh(c_next), c_next


def _layer_norm(x: Any, weight: Any, bias: Any) -> Any:
    centered = x - x.mean(-1, keepdims=True)
    variance = (centered * centered).mean(-1, keepdims=True)
    return centered * jax.lax.rsqrt(variance + 1e-5) * weight + bias


def _cross_entropy(logits: Any, targets: Any) -> Any:
    return -(targets * jax.nn.log_softmax(logits)).sum(-1)


def _gp_covariance(x1: Any, x2: Any, length: Any, variance: Any) -> Any:
    scaled = (x1[:, None] - x2[None]) / length
    return variance * jnp.exp(-0.5 * (scaled * scaled).sum(-1))


FUNCTIONS = {
    "simple": _simple,
    "gelu_tanh": _gelu_tanh,
    "softplus": jax.nn.softplus,
    "lstm_cell": _lstm_cell,
    "layer_norm": _layer_norm,
    "cross_entropy": _cross_entropy,
    "gp_covariance": _gp_covariance,
}


def contenders(workload: Workload) -> dict[str, Callable[[], object]]:
    """A call per mode, which returns when the results are there."""
    function = FUNCTIONS[workload.name]
    inputs = tuple(map(jnp.asarray, workload.inputs))
    given = tuple(map(jnp.asarray, workload.cotangents))
    cotangents = given if len(given) > 1 else given[0]

    def gradients(inputs: Any, cotangents: Any) -> Any:
        results, pullback = jax.vjp(function, *inputs)
        return results, pullback(cotangents)

    def second(inputs: Any, cotangents: Any, further: Any) -> Any:
        _, pullback = jax.vjp(lambda *args: gradients(*args)[1], inputs, cotangents)
        return pullback(further)

    forward, both, twice = jax.jit(function), jax.jit(gradients), jax.jit(second)
    return {
        "forward": lambda: jax.block_until_ready(forward(*inputs)),
        "together": lambda: jax.block_until_ready(both(inputs, cotangents)),
        "double": lambda: jax.block_until_ready(twice(inputs, cotangents, inputs)),
    }
