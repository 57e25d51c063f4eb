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
)
VIEWS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x[1:] if x.shape and x.shape[0] > 1 else x[None],
    lambda x: x[..., ::2] if x.shape else x[None],
    lambda x: x.T,
    lambda x: x.reshape(-1),
    lambda x: x[None],
    lambda x: x[..., -1] if len(x.shape) > 1 else x,
    lambda x: pnp.swapaxes(x, 0, -1) if x.shape else x,
)


def write_all(x: Any, y: Any) -> None:
    x *= y.mean()


def write_sum(x: Any, y: Any) -> None:
    x += pnp.sin(y.mean())


def write_first(x: Any, y: Any) -> None:
    x[:1] = pnp.tanh(y.sum())


def write_every_other(x: Any, y: Any) -> None:
    x[..., ::2] *= 0.5


WRITES: tuple[Callable[[Any, Any], None], ...] = (write_all, write_sum, write_first, write_every_other)


class Step(NamedTuple):
    """What happens (a kind and one of its ways) to which two of the values."""

    kind: str
    way: int
    first: int
    second: int


KINDS = ("unary", "unary", "unary", "binary", "binary", "binary", "view", "write", "hook", "checkpoint")


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
        if step.kind == "unary":
            return UNARY[step.way % len(UNARY)](x if x.shape else x[None])
        if step.kind == "binary":
            return BINARY[step.way % len(BINARY)](x, y)
        if step.kind == "view":
            return VIEWS[step.way % len(VIEWS)](x)
        if step.kind == "checkpoint":
            way = BINARY[step.way % len(BINARY)]
            return pb.checkpoint(lambda x, y: way(pnp.sin(x), y), x, y)
        if step.kind == "hook":
            if x.requires_grad:
                x.register_hook(lambda grad: grad * 1.0)
        elif x.shape:
            WRITES[step.way % len(WRITES)](x, y)
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


def outcome(graph: RandomGraph, engine: str) -> list[np.ndarray] | str:
    """The derivatives on an engine, or the name of the exception with which it refuses the graph."""
    with pb.use_engine(engine):
        try:
            return graph.derivatives()
        except pb.PullbackError as refusal:
            return type(refusal).__name__
