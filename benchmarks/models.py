"""The models that `training.py` trains, once per library, from the same numbers.

Each maker takes the parameters as a dictionary of arrays and a batch, and returns a function that takes one
step of SGD, in place, and returns the loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import pullback as pb
import pullback.numpy as pnp

RATE = 1e-3
Arrays = Mapping[str, np.ndarray]
Step = Callable[[], Any]


@dataclass(frozen=True)
class Task:
    """A model by name, its parameters, and the arrays of one batch."""

    name: str
    model: str
    parameters: Arrays
    batch: tuple[np.ndarray, ...]


def mlp_task(rows: int, seed: int = 0) -> Task:
    """784-512-512-10 with ReLU and cross-entropy of one-hot labels."""
    rng = np.random.default_rng(seed)
    sizes = (784, 512, 512, 10)
    parameters = {}
    for k, (fan_in, fan_out) in enumerate(pairwise(sizes), start=1):
        scale = np.sqrt(2 / fan_in)
        parameters[f"w{k}"] = (rng.standard_normal((fan_in, fan_out)) * scale).astype(np.float32)
        parameters[f"b{k}"] = np.zeros(fan_out, np.float32)
    labels = np.eye(10, dtype=np.float32)[rng.integers(10, size=rows)]
    inputs = rng.standard_normal((rows, 784)).astype(np.float32)
    return Task(f"MLP 784-512-512-10, batch {rows}", "mlp", parameters, (inputs, labels))


def transformer_task(rows: int, length: int = 64, width: int = 128, seed: int = 0) -> Task:
    """A block of attention with 4 heads and a layer of 4 times the width, each after a layer norm."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    parameters = {
        "qkv": normal(width, 3 * width),
        "out": normal(width, width),
        "up": normal(width, 4 * width),
        "down": normal(4 * width, width),
        "scale1": np.ones(width, np.float32),
        "shift1": np.zeros(width, np.float32),
        "scale2": np.ones(width, np.float32),
        "shift2": np.zeros(width, np.float32),
    }
    batch = tuple(rng.standard_normal((rows, length, width)).astype(np.float32) for _ in range(2))
    return Task(f"transformer block {length}x{width}, batch {rows}", "transformer", parameters, batch)


HEADS = 4


def mlp(xp: Any, ops: Any, p: Mapping[str, Any], x: Any, labels: Any) -> Any:
    """The loss; `xp` is a namespace of arrays, `ops` what it calls the functions of networks."""
    for k in (1, 2):
        x = ops.relu(x @ p[f"w{k}"] + p[f"b{k}"])
    return -xp.mean(xp.sum(labels * ops.log_softmax(x @ p["w3"] + p["b3"]), axis=-1))


def transformer(xp: Any, ops: Any, p: Mapping[str, Any], x: Any, wanted: Any) -> Any:
    """The mean square distance of the block's output from what is wanted."""
    rows, length, width = x.shape
    h = ops.layer_norm(x, p["scale1"], p["shift1"])
    qkv = xp.reshape(h @ p["qkv"], (rows, length, 3, HEADS, width // HEADS))
    q, k, v = (ops.permute(qkv[:, :, i], (0, 2, 1, 3)) for i in range(3))
    weights = ops.softmax((q @ ops.permute(k, (0, 1, 3, 2))) / (width // HEADS) ** 0.5)
    mixed = xp.reshape(ops.permute(weights @ v, (0, 2, 1, 3)), (rows, length, width))
    x = x + mixed @ p["out"]
    h = ops.layer_norm(x, p["scale2"], p["shift2"])
    x = x + ops.gelu(h @ p["up"]) @ p["down"]
    return xp.mean((x - wanted) ** 2)


MODELS = {"mlp": mlp, "transformer": transformer}


def _layer_norm(x, weight, bias):  # type: ignore[no-untyped-def]
    centered = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centered * centered, axis=-1, keepdims=True)
    return centered / np.sqrt(variance + 1e-5) * weight + bias


class PlainOps:
    """Operators of pullback one by one."""

    relu = staticmethod(pb.relu)
    gelu = staticmethod(pb.gelu)
    permute = staticmethod(pnp.transpose)

    @staticmethod
    def log_softmax(x: Any) -> Any:
        return pnp.log_softmax(x, axis=-1)

    @staticmethod
    def softmax(x: Any) -> Any:
        return pnp.softmax(x, axis=-1)

    @staticmethod
    def layer_norm(x: Any, weight: Any, bias: Any) -> Any:
        centered = x - pnp.mean(x, axis=-1, keepdims=True)
        variance = pnp.mean(centered * centered, axis=-1, keepdims=True)
        return centered / pnp.sqrt(variance + 1e-5) * weight + bias


class FusedOps(PlainOps):
    """With the layer norm compiled."""

    def __init__(self) -> None:
        self.layer_norm = pb.compile(_layer_norm, order=1)  # type: ignore[method-assign]


def pullback_step(task: Task, engine: str, ops: Any) -> Step:
    """A step on one of the engines."""
    with pb.use_engine(engine):
        parameters = {name: pb.tensor(a.copy(), requires_grad=True) for name, a in task.parameters.items()}
        batch = [pb.tensor(array) for array in task.batch]
    model, values = MODELS[task.model], list(parameters.values())

    def step() -> Any:
        with pb.use_engine(engine):
            loss = model(pnp, ops, parameters, *batch)
            gradients = pb.grad(loss, values)
            with pb.no_grad():
                for value, gradient in zip(values, gradients, strict=True):
                    value.sub_(gradient, alpha=RATE)
            return loss

    return step


def torch_step(task: Task, compiled: bool) -> Step:
    """A step in PyTorch, eager or by torch.compile."""
    import torch
    import torch.nn.functional as F

    class Ops:
        relu, gelu, permute = F.relu, staticmethod(lambda x: F.gelu(x, approximate="tanh")), torch.permute
        softmax = staticmethod(lambda x: torch.softmax(x, -1))
        log_softmax = staticmethod(lambda x: torch.log_softmax(x, -1))
        layer_norm = staticmethod(lambda x, weight, bias: F.layer_norm(x, x.shape[-1:], weight, bias))

    parameters = {name: torch.tensor(a, requires_grad=True) for name, a in task.parameters.items()}
    batch = [torch.tensor(array) for array in task.batch]
    values = list(parameters.values())
    namespace = _TorchNames(torch)

    def loss_of(p: Mapping[str, Any], *arrays: Any) -> Any:
        return MODELS[task.model](namespace, Ops, p, *arrays)

    call = torch.compile(loss_of) if compiled else loss_of

    def step() -> Any:
        loss = call(parameters, *batch)
        gradients = torch.autograd.grad(loss, values)
        with torch.no_grad():
            torch._foreach_add_(values, gradients, alpha=-RATE)
        return loss

    return step


class _TorchNames:
    """torch under NumPy's names, as far as the models need it."""

    def __init__(self, torch: Any) -> None:
        self.reshape, self._torch = torch.reshape, torch

    def mean(self, x: Any) -> Any:
        return self._torch.mean(x)

    def sum(self, x: Any, axis: int) -> Any:
        return self._torch.sum(x, dim=axis)


def jax_step(task: Task) -> Step:
    """A step compiled as a whole by jax.jit, its parameters' memory used again."""
    import jax
    import jax.numpy as jnp

    class Ops:
        relu, permute = jax.nn.relu, jnp.transpose
        gelu, softmax, log_softmax = jax.nn.gelu, jax.nn.softmax, jax.nn.log_softmax
        layer_norm = staticmethod(
            lambda x, weight, bias: jax.nn.standardize(x, axis=-1, epsilon=1e-5) * weight + bias
        )

    def update(p: Any, *arrays: Any) -> Any:
        loss, gradients = jax.value_and_grad(lambda p: MODELS[task.model](jnp, Ops, p, *arrays))(p)
        return loss, {name: value - RATE * gradients[name] for name, value in p.items()}

    run = jax.jit(update, donate_argnums=0)
    state = {name: jnp.array(array) for name, array in task.parameters.items()}
    batch = [jnp.array(array) for array in task.batch]

    def step() -> Any:
        nonlocal state
        loss, state = run(state, *batch)
        return loss.block_until_ready()

    return step
