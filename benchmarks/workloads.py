"""What is timed: a formula of `examples/`, inputs of a useful size, and the same thing written by hand.

`by_hand` computes the results and all gradients with NumPy as one would who needs no engine: every
intermediate is used again, and nothing is recorded. `with_torch` takes tensors and returns the result or
a tuple of results; torch's own operator where it has one, its documented composition where not.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
Arrays = Sequence[np.ndarray]


@dataclass(frozen=True)
class Workload:
    """One operator to time. `cotangents` has an array per result."""

    name: str
    inputs: tuple[np.ndarray, ...]
    cotangents: tuple[np.ndarray, ...]
    by_hand: Callable[[Arrays, Arrays], object]
    with_torch: Callable[..., Any]

    @property
    def formula(self) -> Any:
        """The formula of this name, from its file in `examples/`."""
        spec = importlib.util.spec_from_file_location(self.name, EXAMPLES / f"{self.name}.py")
        assert spec is not None and spec.loader is not None  # noqa: PT018
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, self.name)


def simple_by_hand(inputs: Arrays, cotangents: Arrays) -> object:
    (a, b), (grad,) = inputs, cotangents
    t = a + b
    to_a = grad * b
    return t * b, to_a, grad * t + to_a


def gelu_tanh_by_hand(inputs: Arrays, cotangents: Arrays) -> object:
    (x,), (grad,) = inputs, cotangents
    scale = math.sqrt(2 / math.pi)
    square = x * x
    t = np.tanh(scale * x * (1 + 0.044715 * square))
    half = 0.5 * (1 + t)
    slope = half + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * square)
    return x * half, grad * slope


def softplus_by_hand(inputs: Arrays, cotangents: Arrays) -> object:
    (x,), (grad,) = inputs, cotangents
    small = np.exp(-np.abs(x))
    y = np.maximum(x, 0) + np.log1p(small)
    return y, grad * np.where(x > 0, 1, small) / (1 + small)


def lstm_cell_by_hand(inputs: Arrays, cotangents: Arrays) -> object:
    (zi, zf, zg, zo, c), (grad_h, grad_c) = inputs, cotangents
    i, f, o = (0.5 * (1 + np.tanh(0.5 * z)) for z in (zi, zf, zo))
    g = np.tanh(zg)
    c_next = f * c + i * g
    u = np.tanh(c_next)
    to_c = grad_c + grad_h * o * (1 - u * u)
    gradients = (
        to_c * g * i * (1 - i),
        to_c * c * f * (1 - f),
        to_c * i * (1 - g * g),
        grad_h * u * o * (1 - o),
        to_c * f,
    )
    return o * u, c_next, gradients


def layer_norm_by_hand(inputs: Arrays, cotangents: Arrays) -> object:
    (x, weight, bias), (grad,) = inputs, cotangents
    centered = x - x.mean(-1, keepdims=True)
    s = 1 / np.sqrt((centered * centered).mean(-1, keepdims=True) + 1e-5)
    n = centered * s
    g = grad * weight
    grad_x = s * (g - g.mean(-1, keepdims=True) - n * (g * n).mean(-1, keepdims=True))
    return n * weight + bias, grad_x, (grad * n).sum(0), grad.sum(0)


def gp_covariance_by_hand(inputs: Arrays, cotangents: Arrays) -> object:
    (x1, x2, length, variance), (grad,) = inputs, cotangents
    scaled = (x1[:, None] - x2[None]) / length
    squared = (scaled * scaled).sum(-1)
    correlation = np.exp(-0.5 * squared)
    k = variance * correlation
    weighted = grad * k
    pull = weighted[..., None] * scaled / length
    return k, -pull.sum(1), pull.sum(0), (weighted * squared).sum() / length, (grad * correlation).sum()


def cross_entropy_by_hand(inputs: Arrays, cotangents: Arrays) -> object:
    (logits, targets), (grad,) = inputs, cotangents
    shifted = logits - logits.max(-1, keepdims=True)
    e = np.exp(shifted)
    total = e.sum(-1, keepdims=True)
    negative = np.log(total) - shifted
    g = grad[:, None]
    weight = targets.sum(-1, keepdims=True)
    return (targets * negative).sum(-1), g * (weight * (e / total) - targets), g * negative


def simple_with_torch(a: Any, b: Any) -> Any:
    return (a + b) * b


def cross_entropy_with_torch(logits: Any, targets: Any) -> Any:
    import torch

    return torch.nn.functional.cross_entropy(logits, targets, reduction="none")


def lstm_cell_with_torch(zi: Any, zf: Any, zg: Any, zo: Any, c: Any) -> Any:
    c_next = zf.sigmoid() * c + zi.sigmoid() * zg.tanh()
    return zo.sigmoid() * c_next.tanh(), c_next


def gelu_tanh_with_torch(x: Any) -> Any:
    import torch

    return torch.nn.functional.gelu(x, approximate="tanh")


def softplus_with_torch(x: Any) -> Any:
    import torch

    return torch.nn.functional.softplus(x)


def layer_norm_with_torch(x: Any, weight: Any, bias: Any) -> Any:
    import torch

    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, 1e-5)


def gp_covariance_with_torch(x1: Any, x2: Any, length: Any, variance: Any) -> Any:
    scaled = (x1[:, None] - x2[None]) / length
    return variance * (-0.5 * (scaled * scaled).sum(-1)).exp()


def workloads(size: int = 1 << 18, dtype: type = np.float32) -> list[Workload]:
    """The operators, each with about `size` elements in its largest array."""
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(dtype)

    width = min(256, size)
    rows, points = size // width, max(2, math.isqrt(size))
    gates = tuple(normal(rows, width) for _ in range(5))
    covariance = (normal(points, 4), normal(points, 4), np.array(0.8, dtype), np.array(1.5, dtype))
    targets = rng.random((rows, width)).astype(dtype)
    targets /= targets.sum(-1, keepdims=True)
    return [
        Workload("simple", (normal(size), normal(size)), (normal(size),), simple_by_hand, simple_with_torch),
        Workload("gelu_tanh", (normal(size),), (normal(size),), gelu_tanh_by_hand, gelu_tanh_with_torch),
        Workload("softplus", (normal(size),), (normal(size),), softplus_by_hand, softplus_with_torch),
        Workload(
            "lstm_cell",
            gates,
            (normal(rows, width), normal(rows, width)),
            lstm_cell_by_hand,
            lstm_cell_with_torch,
        ),
        Workload(
            "layer_norm",
            (normal(rows, width), normal(width), normal(width)),
            (normal(rows, width),),
            layer_norm_by_hand,
            layer_norm_with_torch,
        ),
        Workload(
            "cross_entropy",
            (normal(rows, width), targets),
            (normal(rows),),
            cross_entropy_by_hand,
            cross_entropy_with_torch,
        ),
        Workload(
            "gp_covariance",
            covariance,
            (normal(points, points),),
            gp_covariance_by_hand,
            gp_covariance_with_torch,
        ),
    ]
