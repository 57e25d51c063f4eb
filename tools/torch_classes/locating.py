"""The element of the inputs at which a derivative of a class is wrong, found by halving."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from .inputs import Sample
from .measuring import Around, Line, Tensors, products


class Place(NamedTuple):
    """An element of an input, the derivative by it that the class gives, and the one of differences.

    `size`: the largest derivative by this input.
    """

    argument: int
    element: tuple[int, ...]
    given: float
    differences: float
    size: float

    @property
    def error(self) -> float:
        """The difference, relative to the largest derivative by the input."""
        error = abs(self.given - self.differences) / max(self.size, abs(self.differences), 1e-300)
        return error if error == error else float("inf")


def worst_place(call: Callable[..., Any], samples: Sequence[Sample], order: int) -> Place | None:
    """The place at which the derivative of this order is further off than at others; None where it raises."""
    found = []
    for sample, head, tail in itertools.product(samples, (False, True), (False, True)):
        around = Around(call, sample, head, tail)
        try:
            if order == 1:
                points = around.points(torch.float64)
                found.append(_halved(around.value, points, around.gradient(points), sample))
            else:
                found.append(_halved(*products(around), sample))
        except Exception:  # a class may refuse in any way, which the verdict says
            continue
    return max(found, key=lambda one: one.error, default=None)


def _halved(
    function: Callable[[Tensors], torch.Tensor], points: Tensors, exact: Tensors, sample: Sample
) -> Place:
    """An element whose derivative is wrong, of the half that is further off, again and again."""
    generator = torch.Generator().manual_seed(0)
    signs = [torch.randint(0, 2, p.shape, generator=generator).double() * 2 - 1 for p in points]

    def pair(k: int, chosen: torch.Tensor, weights: torch.Tensor) -> tuple[float, float]:
        """The derivative in a direction in some elements of an input, and its difference."""
        way = [torch.zeros_like(p) for p in points]
        way[k].view(-1)[chosen] = weights.reshape(-1)[chosen]
        (slope,) = Line(lambda moved: function(moved).reshape(1), points, way).slopes(1e-4)
        return float((exact[k].detach() * way[k]).sum()), slope.value

    def error(k: int, chosen: torch.Tensor) -> float:
        given, differences = pair(k, chosen, signs[k])
        off = abs(given - differences)
        return off if off == off else float("inf")

    inputs = [(k, torch.arange(p.numel())) for k, p in enumerate(points) if p.numel()]
    k, chosen = max(inputs, key=lambda one: error(*one))
    while len(chosen) > 1:
        middle = len(chosen) // 2
        chosen = max((chosen[:middle], chosen[middle:]), key=lambda half: error(k, half))
    index = torch.unravel_index(chosen[0], points[k].shape)
    return Place(
        sample.active[k],
        tuple(int(axis) for axis in index),
        *pair(k, chosen, torch.ones_like(points[k])),
        float(exact[k].abs().max()),
    )
