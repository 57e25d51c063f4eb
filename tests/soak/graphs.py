"""Random graphs with everything at once, from a seed: operators, views, writes, hooks, checkpoints.

A graph is a list of steps on a growing list of tensors, and runs on whatever engine is on. Everything in it
is smooth, so that differences of its values are an oracle for its derivatives, and of those for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import pullback as pb
import pullback.numpy as pnp

ORDERS = 3
SHAPES = ((3, 4), (4,), (3, 1), (2, 3, 4))


@pb.formula
def waves(a, b):
    t = np.sin(a) + b
    u = t * t
    r = u * b

    def waves_pullback(grad):
        to_t = 2 * grad * t * b
        return to_t * np.cos(a), to_t + grad * u

    return r, waves_pullback


@pb.formula
def halves(x):
    s = pb.sigmoid(x)
    c = s * (1 - s)

    def halves_pullback(grad_s, grad_c):
        return grad_s * c + grad_c * c * (1 - 2 * s)

    return (s, c), halves_pullback


def last_axis_twice(x: Any) -> Any:
    return pnp.concatenate([x, x * 0.5], axis=-1)[..., : x.shape[-1]]


UNARY: tuple[Callable[[Any], Any], ...] = (
    pnp.sin,
    pnp.tanh,
    pnp.arctan,
    pb.sigmoid,
    pb.softplus,
    pb.gelu,
    np.cos,
    lambda x: pnp.exp(0.3 * x),
    lambda x: pnp.log1p(x * x),
    lambda x: pnp.sqrt(1 + x * x),
    lambda x: x / (1 + x * x),
    lambda x: x - pnp.mean(x, axis=-1, keepdims=True),
    lambda x: pnp.softmax(x, axis=-1),
    lambda x: pnp.cumsum(x, axis=-1) * 0.3,
    lambda x: pnp.flip(x, axis=-1),
    lambda x: x**2 * 0.5,
    lambda x: halves(x)[0],
    lambda x: halves(x)[1] + x * 0.1,
    last_axis_twice,
)
BINARY: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x + y.mean(),
    lambda x, y: x * y.mean(),
    lambda x, y: x - 0.3 * y.sum(),
    lambda x, y: x * pnp.tanh(y.reshape(-1)[0]),
    lambda x, y: waves(x, y.mean()),
    lambda x, y: x / (2 + y.mean() ** 2),
    lambda x, y: pnp.arctan2(x, 2 + y.mean() ** 2),
    lambda x, y: x * y if x.shape == y.shape else x * y.reshape(-1)[-1],
    lambda x, y: pnp.where(np.arange(x.size).reshape(x.shape) % 2 == 0, x, x * y.mean()),
    lambda x, y: (x.reshape(-1, 1) * y.reshape(-1)[:3]).sum(axis=0),
    lambda x, y: x.reshape(-1)[[0, -1, 0]] * y.mean(),
)
VIEWS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x[1:] if x.shape and x.shape[0] > 1 else x[None],
    lambda x: x[..., ::2] if x.shape else x[None],
    lambda x: x.T,
    lambda x: x.reshape(-1),
    lambda x: x[None],
    lambda x: x[..., -1] if len(x.shape) > 1 else x,
    lambda x: pnp.swapaxes(x, 0, -1) if x.shape else x,
    lambda x: pnp.flip(x),
    lambda x: x.diagonal() if len(x.shape) == 2 else x[None],
    lambda x: pnp.split(x, [1])[0] if x.shape else x[None],
    lambda x: x.T[..., :1],
)


def write_all(x: Any, y: Any) -> None:
    x *= y.mean()


def write_sum(x: Any, y: Any) -> None:
    x += pnp.sin(y.mean())


def write_first(x: Any, y: Any) -> None:
    x[:1] = pnp.tanh(y.sum())


def write_every_other(x: Any, y: Any) -> None:
    x[..., ::2] *= 0.5


def write_through_views(x: Any, y: Any) -> None:
    x.T[..., :1][...] += y.mean()


def write_broadcast(x: Any, y: Any) -> None:
    x[...] = x[..., :1] * pnp.sin(y.sum())


def write_positions(x: Any, y: Any) -> None:
    x[[0, -1, 0]] = x[:1] * y.mean()


def add_at_positions(x: Any, y: Any) -> None:
    x[..., np.array([-1, 0])] += pnp.tanh(y.mean())


def write_mask(x: Any, y: Any) -> None:
    x[np.arange(x.size).reshape(x.shape) % 3 == 0] = y.mean() * 0.5


def write_into(x: Any, y: Any) -> None:
    np.multiply(x, y.mean(), out=x)


def write_methods(x: Any, y: Any) -> None:
    x.tanh_().mul_(1.5).add_(y.mean(), alpha=0.5)


def write_itself(x: Any, y: Any) -> None:
    x -= x * x * 0.1


WRITES: tuple[Callable[[Any, Any], None], ...] = (
    *(write_all, write_sum, write_first, write_every_other, write_through_views, write_broadcast),
    *(write_positions, add_at_positions, write_mask, write_into, write_methods, write_itself),
)


def hook_on_gradient(x: Any) -> None:
    x.register_hook(lambda grad: grad * 1.0)


def hook_once(x: Any) -> None:
    def once(grad: Any) -> Any:
        handle.remove()
        return grad + 0.0

    handle = x.register_hook(once)
    x.register_hook(lambda grad: None)


def hook_before_node(x: Any) -> None:
    x.grad_fn.register_prehook(lambda grads: tuple(grad if grad is None else grad * 1.0 for grad in grads))


def hook_after_node(x: Any) -> None:
    x.grad_fn.register_hook(lambda grads, _: tuple(grad if grad is None else 1.0 * grad for grad in grads))


def hook_with_a_backward(x: Any) -> None:
    def inner(grad: Any) -> Any:
        z = pb.tensor(2.0, requires_grad=True)
        with pb.enable_grad():
            (slope,) = pb.grad(z * z, z)
        return grad * (slope / 4.0)

    x.register_hook(inner)


HOOKS: tuple[Callable[[Any], None], ...] = (
    *(hook_on_gradient, hook_once, hook_before_node, hook_after_node, hook_with_a_backward),
    lambda x: x.retain_grad(),
)


def checkpointed(x: Any, y: Any) -> Any:
    return pb.checkpoint(lambda x, y: pnp.sin(x) * y.mean(), x, y)


def checkpointed_twice(x: Any, y: Any) -> Any:
    return pb.checkpoint(lambda x: pnp.tanh(checkpointed(x, y)) + y.mean(), x)


def checkpointed_write(x: Any, y: Any) -> Any:
    def function(x: Any) -> Any:
        z = x * 1.0
        z[..., :1] *= pnp.sin(y.mean())
        return z * z

    return pb.checkpoint(function, x)


def saved_elsewhere(x: Any, y: Any) -> Any:
    with pb.saved_tensors_hooks(lambda value: (value.copy(),), lambda packed: packed[0]):
        return pnp.exp(0.3 * pnp.sin(x)) * y.mean()


REMADE: tuple[Callable[[Any, Any], Any], ...] = (
    *(checkpointed, checkpointed_twice, checkpointed_write, saved_elsewhere),
    lambda x, y: pb.checkpoint(lambda x, y: pnp.arctan(x) - y.sum() * 0.1, x, y),
)


WAYS: dict[str, tuple[Callable[..., Any], ...]] = {
    "unary": UNARY,
    "binary": BINARY,
    "view": VIEWS,
    "write": WRITES,
    "hook": HOOKS,
    "checkpoint": REMADE,
}


class Step(NamedTuple):
    """What happens (a kind and one of its ways) to which two of the values."""

    kind: str
    way: int
    first: int
    second: int


KINDS = (
    *("unary", "unary", "unary", "binary", "binary", "binary"),
    *("view", "view", "view", "write", "hook", "hook", "checkpoint"),
)


class RandomGraph:
    """The graph of a seed: its leaves, its steps, and directions in which it is differentiated."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.seed = seed
        shapes = [SHAPES[k] for k in rng.integers(len(SHAPES), size=2)]
        self.start = [rng.uniform(-1, 1, shape) for shape in shapes]
        self.directions = [[rng.uniform(-1, 1, shape) for shape in shapes] for _ in range(ORDERS)]
        count = int(rng.integers(4, 14))
        self.steps = [
            Step(KINDS[rng.integers(len(KINDS))], *(int(k) for k in rng.integers(1000, size=3)))
            for _ in range(count)
        ]

    def value(self, leaves: Sequence[Any]) -> Any:
        """The scalar that the steps compute."""
        values = [leaf * 1.0 for leaf in leaves]
        for step in self.steps:
            recent = values[-4:]
            x, y = recent[step.first % len(recent)], values[step.second % len(values)]
            made = self._made(step, x, y)
            if made is not None:
                values.append(made)
        return sum(pnp.tanh(value).sum() for value in values[-3:])

    def _made(self, step: Step, x: Any, y: Any) -> Any:
        ways = WAYS[step.kind]
        way = ways[step.way % len(ways)]
        if step.kind == "unary":
            return way(x if x.shape else x[None])
        if step.kind in ("binary", "checkpoint"):
            return way(x, y)
        if step.kind == "view":
            return way(x)
        if step.kind == "hook":
            if x.requires_grad:
                way(x)
        elif x.shape:
            way(x, y)
        return None

    def derivatives(self, shift: float = 0.0, along: int = 0, orders: int = ORDERS) -> list[np.ndarray]:
        """The value, then per order the gradients and the derivative in that order's direction.

        The leaves stand `shift` away from the start, in the direction of number `along`.
        """
        leaves = [
            pb.tensor(array + shift * direction, requires_grad=True)
            for array, direction in zip(self.start, self.directions[along], strict=True)
        ]
        scalar = self.value(leaves)
        found = [scalar.detach().numpy().copy()]
        for order in range(orders):
            gradients = pb.grad(scalar, leaves, create_graph=True, allow_unused=True, materialize_grads=True)
            found += [gradient.detach().numpy().copy() for gradient in gradients]
            parts = zip(gradients, self.directions[order], strict=True)
            scalar = sum((gradient * direction).sum() for gradient, direction in parts)
            found.append(scalar.detach().numpy().copy())
            if not scalar.requires_grad:
                break
        return found

    def tangents(self) -> list[np.ndarray]:
        """The tangents of the value and of its gradients, in the first direction."""
        leaves = [pb.tensor(array, requires_grad=True) for array in self.start]
        with pb.forward_ad.dual_level():
            duals = [
                pb.forward_ad.make_dual(leaf, direction)
                for leaf, direction in zip(leaves, self.directions[0], strict=True)
            ]
            scalar = self.value(duals)
            gradients = pb.grad(scalar, leaves, allow_unused=True, materialize_grads=True)
            parts = [scalar, *gradients]
            unpacked = [pb.forward_ad.unpack_dual(part).tangent for part in parts]
        return [
            np.zeros(part.shape) if tangent is None else tangent.detach().numpy().copy()
            for part, tangent in zip(parts, unpacked, strict=True)
        ]


def outcome(graph: RandomGraph, engine: str) -> list[np.ndarray] | str:
    """The derivatives on an engine, or the name of the exception with which it refuses the graph."""
    with pb.use_engine(engine):
        try:
            return graph.derivatives()
        except pb.PullbackError as refusal:
            return type(refusal).__name__
