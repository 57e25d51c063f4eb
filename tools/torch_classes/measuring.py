"""Derivatives of a class against finite differences, to the second order, and in single precision.

The class stands between a curved head and a curved tail, each there or not: a term that shows only where
the incoming gradient depends on the inputs, or only where it does not, shows in one of them. The derivative
of the backward is compared with differences of what the backward gives, so an error of first order, or a
surrogate gradient, does not spoil it.

Differences are extrapolated from two steps. How far these are apart, and the rounding of the function, say
how far they can be trusted; of several steps the one counts that can be trusted most. So a class that
computes in float64 is held to `EXACT`, and one that computes in float32 whatever it is given, to what that
allows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, NamedTuple

import torch

from .inputs import Sample

STEPS = (1e-5, 1e-3, 1e-2)
SHORT = (1e-6, 1.3e-6, 1.7e-6)
# Relative errors. Differences in float64 are better than this by two digits or more.
EXACT = 1e-6
# Forwards that are approximations, series or iterations, have gradients that are not exactly theirs.
APPROXIMATE = 1e-3
# The square root of float32's precision, rounded up: its derivatives lose half of the digits at worst.
SINGLE = 1e-3
# So far off is a gradient that comes from 8-bit integers; one that is further off belongs to another forward.
ROUNDED = 5e-3
# Second derivatives of a forward that are further off than this are no rounding of what was saved.
COARSE = 2e-2
FORWARD_STEPS = (1e-3, 1e-2)
# Results without a larger value are measured by their own size, where that is above their rounding.
SMALL = 1e-3
ROUNDING = 1e13
# No doubt about differences excuses more.
MOST = 2e-3
DIRECTIONS = 2
Tensors = list[torch.Tensor]


class Difference(NamedTuple):
    """A relative error, what of it is allowed, and what differences themselves are uncertain by."""

    error: float = 0.0
    allowed: float = EXACT
    doubt: float = 0.0

    @property
    def wrong(self) -> bool:
        """True if it is more than allowed; what is not a number is."""
        return not self.error <= self.allowed

    @property
    def rank(self) -> tuple[bool, float]:
        """The key to compare by: a wrong one is worse than any other."""
        return self.wrong, self.error


NONE = Difference()


def worst(differences: Iterable[Difference]) -> Difference:
    """The worst of them."""
    return max(differences, key=lambda difference: difference.rank, default=NONE)


def spoiled(difference: Difference, first: Difference) -> Difference:
    """A second derivative behind a curved tail, which is not better than the first one that enters it."""
    return difference._replace(allowed=max(difference.allowed, min(10 * first.error, MOST)))


@dataclass
class Measured:
    """The worst differences per order, in float64, and of the second order in float32.

    `second`, `single`: with a straight tail. `curved`, `curved_single`: with a curved one, where a wrong
    first derivative spoils the second. `raised`: what a second derivative raised. `trouble`: other faults.
    """

    first: Difference = NONE
    second: Difference = NONE
    single: Difference = NONE
    curved: Difference = NONE
    curved_single: Difference = NONE
    raised: str = ""
    trouble: list[str] = field(default_factory=list)


class Around:
    """A class with a head and a tail around it, as a function of its floating inputs."""

    def __init__(self, call: Callable[..., Any], sample: Sample, head: bool, tail: bool) -> None:
        self.call, self.sample, self.head, self.tail = call, sample, head, tail
        self._units: list[float] | None = None

    def points(self, dtype: torch.dtype) -> Tensors:
        """The active inputs, as leaves of this dtype."""
        active = (self.sample.arguments[i] for i in self.sample.active)
        return [a.detach().to(dtype).clone().requires_grad_() for a in active]

    def outputs(self, points: Tensors) -> Tensors:
        """The results that carry a gradient, complex ones as pairs of real numbers."""
        dtype = points[0].dtype
        arguments = [_copy(a, dtype) for a in self.sample.arguments]
        for index, point in zip(self.sample.active, points, strict=True):
            arguments[index] = point + 0.1 * torch.sin(point) if self.head else point * 1
        _seed()
        results = self.call(*arguments)
        several = results if isinstance(results, tuple | list) else (results,)
        found = [r for r in several if isinstance(r, torch.Tensor) and r.requires_grad]
        return [torch.view_as_real(r) if r.is_complex() else r for r in found]

    def value(self, points: Tensors) -> torch.Tensor:
        """A number that depends on all results; small ones count as much as others."""
        if self._units is None:
            self._units = self._measured_units()
        total = points[0].new_zeros(())
        for number, (out, unit) in enumerate(zip(self.outputs(points), self._units, strict=True)):
            weights = _weights(out.shape, out.dtype, number)
            out = out / unit
            total = total + (weights * (out + 0.5 * out * out if self.tail else out)).sum()
        return total

    def _measured_units(self) -> list[float]:
        """One for each result, or the size of one that is small.

        The third differences of smooth values are rounding alone.
        """
        points = self.points(torch.float64)
        sizes = [_size(out) for out in self.outputs(points)]
        if not any(0 < size < SMALL for size in sizes):
            return [1.0] * len(sizes)
        (direction,) = itertools.islice(_directions(points, 1), 1)
        ends = [
            [out.detach() for out in self.outputs(_moved(points, direction, k * STEPS[0]))]
            for k in (-2, -1, 1, 2)
        ]
        units = []
        for size, (first, second, third, last) in zip(sizes, zip(*ends, strict=True), strict=True):
            rounding = _size(last - 2 * third + 2 * second - first)
            units.append(min(1.0, max(size, ROUNDING * rounding)) if 0 < size < SMALL else 1.0)
        return units

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


def _size(out: torch.Tensor) -> float:
    """The largest value that is a number."""
    values = out.detach().abs().nan_to_num(0.0, 0.0)
    return float(values.max()) if values.numel() else 0.0


def _seed() -> None:
    """Give each call the same random numbers, without the stacks that `torch.manual_seed` formats."""
    torch.default_generator.manual_seed(0)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(0)


def _copy(argument: Any, dtype: torch.dtype) -> Any:
    if not isinstance(argument, torch.Tensor):
        return argument
    return argument.detach().to(dtype).clone() if argument.is_floating_point() else argument.clone()


@lru_cache(maxsize=64)
def _weights(shape: torch.Size, dtype: torch.dtype, number: int) -> torch.Tensor:
    """The weight of each entry of a result; nobody may write into it."""
    steps = torch.arange(shape.numel(), dtype=torch.float64).reshape(shape)
    return (1 + 0.5 * torch.cos(1.7 * steps + number)).to(dtype)


def measure(call: Callable[..., Any], sample: Sample) -> Measured:
    """All errors of a class at one sample. Raises what a first derivative raises."""
    measured = Measured()
    for head, tail in itertools.product((True, False), repeat=2):
        around = Around(call, sample, head, tail)
        first = _first(around)
        measured.first = worst([measured.first, first])
        _second(around, measured, first)
    _effects(Around(call, sample, True, False), measured)
    return measured


def _first(around: Around) -> Difference:
    points = around.points(torch.float64)
    gradient = around.gradient(points)
    scale = max(1.0, _norm(gradient))
    directions = list(_directions(points, 1))
    lines = [Line(lambda moved: around.value(moved).reshape(1), points, d) for d in directions]

    def at(step: float) -> list[Difference]:
        return [
            _difference(_dot(gradient, d), slope, scale, APPROXIMATE)
            for d, line in zip(directions, lines, strict=True)
            for slope in line.slopes(step)
        ]

    return _judged(at)


def _judged(at: Callable[[float], list[Difference]]) -> Difference:
    """The worst difference at the step whose differences can be trusted most."""
    found: list[tuple[float, list[Difference]]] = []
    for step in STEPS:
        differences = at(step)
        doubt = max(difference.doubt for difference in differences)
        found.append((doubt, differences))
        if doubt <= EXACT:
            break
    return worst(min(found, key=lambda pair: pair[0])[1])


def _second(around: Around, measured: Measured, first: Difference) -> None:
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
    along = list(_directions(points, 1))
    lines = [Line(_gradient_along(around, along), points, w) for w in _directions(points, 2)]
    in_double = _judged(lambda step: _second_differences(points, double, lines, step, EXACT))
    in_single = _judged(lambda step: _second_differences(points, single, lines, step, SINGLE))
    if not in_double.wrong and first.error < ROUNDED:
        in_double = worst([in_double, _by_forward(around, points, double)])
    if around.tail:
        measured.curved = worst([measured.curved, in_double])
        measured.curved_single = worst([measured.curved_single, in_single])
    else:
        measured.second = worst([measured.second, in_double])
        measured.single = worst([measured.single, in_single])


def _gradient_along(around: Around, along: list[Tensors]) -> Callable[[Tensors], torch.Tensor]:
    """The function of the inputs that gives the gradient along these directions."""

    def of(moved: Tensors) -> torch.Tensor:
        gradient = around.gradient(moved)
        return torch.stack([_dot(gradient, each) for each in along])

    return of


def products(around: Around) -> tuple[Callable[[Tensors], torch.Tensor], Tensors, Tensors]:
    """The gradient along a direction as a function, the inputs, and its derivative as the class gives it."""
    points = around.points(torch.float64)
    (along,) = itertools.islice(_directions(points, 1), 1)
    return _gradient_along(around, [along]), points, _product(around, along, torch.float64)


def _by_forward(around: Around, points: Tensors, products: list[Tensors]) -> Difference:
    """The second derivative beside that of the forward alone, where the first one belongs to the forward.

    A gradient from values that were rounded to a few levels is a staircase: its differences over a short way
    are nought, as the derivative that the class gives. The forward that it belongs to is smooth.
    """
    found = [NONE]
    for along, product in zip(_directions(points, 1), products, strict=True):
        scale = max(1.0, _norm(product))
        for w in _directions(points, 2):
            exact = min(_mixed(around, points, along, w), key=lambda slope: slope.doubt)
            size = max(scale, abs(exact.value))
            if exact.doubt < size * COARSE / 10:  # else the forward has corners, or noise of its own
                error = abs(_dot(product, w).item() - exact.value) / size
                found.append(Difference(error, COARSE, exact.doubt / size))
    return worst(found)


def _mixed(around: Around, points: Tensors, one: Tensors, two: Tensors) -> list[Slope]:
    """The mixed second derivative of the value along two directions, from its values, for each step."""

    @cache
    def at(first: float, second: float) -> float:
        return around.value(_moved(_moved(points, one, first), two, second)).item()

    def over(h: float) -> float:
        return (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h)

    noise = max(abs(at(h, 0.0) + at(-h, 0.0) - 2 * at(0.0, 0.0)) for h in SHORT)
    pairs = ((step, over(step), over(2 * step)) for step in FORWARD_STEPS)
    return [Slope(near + (near - far) / 3, abs(near - far) + noise / step**2) for step, near, far in pairs]


class Slope(NamedTuple):
    """A directional derivative from differences, and how far it can be wrong."""

    value: float
    doubt: float


class Line:
    """A function of several numbers on a straight line through points; it is called once at each place."""

    def __init__(
        self, function: Callable[[Tensors], torch.Tensor], points: Tensors, direction: Tensors
    ) -> None:
        self._at = cache(lambda place: function(_moved(points, direction, place)).detach())

    def slopes(self, step: float) -> list[Slope]:
        """Richardson's extrapolation from central differences of two steps, for each number."""
        at = self._at
        near, far = ((at(h) - at(-h)) / (2 * h) for h in (step, 2 * step))
        # Second differences over so short a way are rounding, and nothing else.
        noise = torch.stack([(at(h) + at(-h) - 2 * at(0.0)).abs() for h in SHORT]).amax(0)
        values, doubts = near + (near - far) / 3, (near - far).abs() + noise / step
        return [Slope(*pair) for pair in zip(values.tolist(), doubts.tolist(), strict=True)]


def _second_differences(
    points: Tensors, products: list[Tensors], lines: list[Line], step: float, floor: float
) -> list[Difference]:
    slopes = [line.slopes(step) for line in lines]
    return [
        _difference(_dot(product, w), row[k], max(1.0, _norm(product)), floor)
        for k, product in enumerate(products)
        for w, row in zip(_directions(points, 2), slopes, strict=True)
    ]


def _difference(exact: torch.Tensor, slope: Slope, scale: float, floor: float) -> Difference:
    error, doubt = abs(exact.item() - slope.value) / scale, slope.doubt / scale
    error, doubt = (number if number == number else float("inf") for number in (error, doubt))
    return Difference(error, max(floor, min(MOST, doubt)), doubt)


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
    """True if a backward changes its incoming gradient, or gives another result the second time."""
    points = around.points(torch.float64)
    outputs = around.outputs(points)
    if not outputs:
        return
    seeds = [_weights(out.shape, out.dtype, k).clone() for k, out in enumerate(outputs)]
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
