"""Derivatives of a class against finite differences, to the second order, and in single precision.

The class stands between a curved head and a curved tail, each there or not: a term that shows only where
the incoming gradient depends on the inputs, or only where it does not, shows in one of them. The derivative
of the backward is compared with differences of what the backward gives, so an error of first order, or a
surrogate gradient, does not spoil it. A class may compute in float32 whatever it is given: of several steps
the one that agrees best counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from .inputs import Sample

STEPS = (1e-5, 1e-3, 1e-2)
# Relative. Forwards that are approximations have gradients that are not exactly theirs.
TOLERANCE = {1: 2e-3, 2: 2e-3}
SINGLE_TOLERANCE = 2e-2
DIRECTIONS = 2
Tensors = list[torch.Tensor]


@dataclass
class Measured:
    """The largest relative error per order, in float64, and of the second order in float32.

    `second`, `single`: with a straight tail. `curved`, `curved_single`: with a curved one, where a wrong
    first derivative spoils the second. `raised`: what a second derivative raised. `trouble`: other faults.
    """

    first: float = 0.0
    second: float = 0.0
    single: float = 0.0
    curved: float = 0.0
    curved_single: float = 0.0
    raised: str = ""
    trouble: list[str] = field(default_factory=list)


class Around:
    """A class with a head and a tail around it, as a function of its floating inputs."""

    def __init__(self, call: Callable[..., Any], sample: Sample, head: bool, tail: bool) -> None:
        self.call, self.sample, self.head, self.tail = call, sample, head, tail

    def points(self, dtype: torch.dtype) -> Tensors:
        """The active inputs, as leaves of this dtype."""
        active = (self.sample.arguments[i] for i in self.sample.active)
        return [a.detach().to(dtype).clone().requires_grad_() for a in active]

    def outputs(self, points: Tensors) -> Tensors:
        """The floating results that carry a gradient."""
        dtype = points[0].dtype
        arguments = [_copy(a, dtype) for a in self.sample.arguments]
        for index, point in zip(self.sample.active, points, strict=True):
            arguments[index] = point + 0.1 * torch.sin(point) if self.head else point * 1
        torch.manual_seed(0)
        results = self.call(*arguments)
        several = results if isinstance(results, tuple | list) else (results,)
        return [r for r in several if isinstance(r, torch.Tensor) and r.requires_grad]

    def value(self, points: Tensors) -> torch.Tensor:
        """A number that depends on all results."""
        total = points[0].new_zeros(())
        for number, out in enumerate(self.outputs(points)):
            weights = _weights(out, number)
            total = total + (weights * (out + 0.5 * out * out if self.tail else out)).sum()
        return total

    def gradient(self, points: Tensors, create_graph: bool = False) -> Tensors:
        """The first derivative as the class computes it."""
        value = self.value(points)
        try:
            found = torch.autograd.grad(value, points, create_graph=create_graph, allow_unused=True)
        except RuntimeError as error:
            if ".grad()" not in str(error):  # PyTorch's checkpoint refuses it, and takes `backward`
                raise
            torch.autograd.backward(self.value(points), create_graph=create_graph)
            found = tuple(p.new_zeros(p.shape) if p.grad is None else p.grad for p in points)
        return [torch.zeros_like(p) if g is None else g for g, p in zip(found, points, strict=True)]


def _copy(argument: Any, dtype: torch.dtype) -> Any:
    if not isinstance(argument, torch.Tensor):
        return argument
    return argument.detach().to(dtype).clone() if argument.is_floating_point() else argument.clone()


def _weights(out: torch.Tensor, number: int) -> torch.Tensor:
    size = out.numel()
    steps = torch.arange(size, dtype=torch.float64).reshape(out.shape)
    return (1 + 0.5 * torch.cos(1.7 * steps + number)).to(out.dtype)


def measure(call: Callable[..., Any], sample: Sample) -> Measured:
    """All errors of a class at one sample. Raises what a first derivative raises."""
    measured = Measured()
    for head, tail in itertools.product((True, False), repeat=2):
        around = Around(call, sample, head, tail)
        measured.first = max(measured.first, _first_error(around))
        _second(around, measured)
    _effects(Around(call, sample, True, False), measured)
    return measured


def _first_error(around: Around) -> float:
    points = around.points(torch.float64)
    gradient = around.gradient(points)
    scale = max(1.0, _norm(gradient))
    best = float("inf")
    for step in STEPS:
        slopes = [_slope(around.value, points, d, step) for d in _directions(points, 1)]
        pairs = zip(_directions(points, 1), slopes, strict=True)
        best = min(best, max(_error(_dot(gradient, d), slope, scale) for d, slope in pairs))
        if best <= TOLERANCE[1]:
            break
    return best


def _second(around: Around, measured: Measured) -> None:
    points = around.points(torch.float64)
    try:
        double = [_product(around, along, torch.float64) for along in _directions(points, 1)]
    except Exception as error:  # a class may refuse in any way
        measured.raised = measured.raised or f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"
        return
    try:
        single = [_product(around, along, torch.float32) for along in _directions(points, 1)]
    except Exception:  # not every class takes float32
        single = double
    best = [float("inf"), float("inf")]
    for step in STEPS:
        slopes = _slopes(around, points, step)
        errors = [_second_error(points, products, slopes) for products in (double, single)]
        best = [min(pair) for pair in zip(best, errors, strict=True)]
        if best[0] <= TOLERANCE[2] and best[1] <= SINGLE_TOLERANCE:
            break
    if around.tail:
        measured.curved = max(measured.curved, best[0])
        measured.curved_single = max(measured.curved_single, best[1])
    else:
        measured.second, measured.single = max(measured.second, best[0]), max(measured.single, best[1])


def _slopes(around: Around, points: Tensors, step: float) -> list[list[torch.Tensor]]:
    """``d/dw (gradient . along)`` from differences, for each `along` and for several directions w."""
    return [
        [_slope(partial(_along, around, along), points, w, step) for w in _directions(points, 2)]
        for along in _directions(points, 1)
    ]


def _second_error(points: Tensors, products: list[Tensors], slopes: list[list[torch.Tensor]]) -> float:
    worst = 0.0
    for product, row in zip(products, slopes, strict=True):
        scale = max(1.0, _norm(product))
        pairs = zip(_directions(points, 2), row, strict=True)
        worst = max(worst, *(_error(_dot(product, w), slope, scale) for w, slope in pairs))
    return worst


def _along(around: Around, along: Tensors, points: Tensors) -> torch.Tensor:
    return _dot(around.gradient(points), along)


def _slope(
    function: Callable[[Tensors], torch.Tensor], points: Tensors, direction: Tensors, step: float
) -> torch.Tensor:
    plus, minus = (function(_moved(points, direction, sign * step)).detach() for sign in (1, -1))
    return (plus - minus) / (2 * step)


def _product(around: Around, along: Tensors, dtype: torch.dtype) -> Tensors:
    """The derivative of ``gradient . along`` through the class's own backward."""
    points = around.points(dtype)
    gradient = around.gradient(points, create_graph=True)
    value = _dot(gradient, [d.to(dtype) for d in along])
    if not value.requires_grad:
        return [torch.zeros_like(p) for p in points]
    found = torch.autograd.grad(value, points, allow_unused=True)
    return [torch.zeros_like(p) if g is None else g for g, p in zip(found, points, strict=True)]


def _effects(around: Around, measured: Measured) -> None:
    """Whether a backward changes its incoming gradient, or gives another result the second time."""
    points = around.points(torch.float64)
    outputs = around.outputs(points)
    if not outputs:
        return
    seeds = [_weights(out, k) for k, out in enumerate(outputs)]
    given = [seed.clone() for seed in seeds]
    try:
        once = torch.autograd.grad(outputs, points, seeds, retain_graph=True, allow_unused=True)
        again = torch.autograd.grad(outputs, points, [g.clone() for g in given], allow_unused=True)
    except RuntimeError as error:
        measured.trouble.append(
            f"a second backward through the same graph raises: {str(error).splitlines()[0][:120]}"
        )
        return
    if not all(torch.equal(seed, kept) for seed, kept in zip(seeds, given, strict=True)):
        measured.trouble.append("the backward changes its incoming gradient in place")
    pairs = [(a, b) for a, b in zip(once, again, strict=True) if a is not None and b is not None]
    if not all(torch.allclose(a, b, equal_nan=True) for a, b in pairs):
        measured.trouble.append("a second backward through the same graph gives another result")


def _directions(points: Tensors, seed: int) -> Iterator[Tensors]:
    generator = torch.Generator().manual_seed(seed)
    for _ in range(DIRECTIONS):
        made = [torch.randn(p.shape, generator=generator, dtype=torch.float64) for p in points]
        length = _norm(made)
        yield [m / length for m in made]


def _moved(points: Tensors, direction: Tensors, step: float) -> Tensors:
    return [(p.detach() + step * d).requires_grad_() for p, d in zip(points, direction, strict=True)]


def _dot(one: Tensors, two: Tensors) -> torch.Tensor:
    return torch.stack([(a * b.to(a.dtype)).sum() for a, b in zip(one, two, strict=True)]).sum()


def _norm(tensors: Sequence[torch.Tensor]) -> float:
    return float(torch.stack([t.detach().double().norm() for t in tensors]).norm())


def _error(exact: torch.Tensor, numeric: torch.Tensor, scale: float) -> float:
    error = abs(exact.item() - numeric.item()) / scale
    return error if error == error else float("inf")
