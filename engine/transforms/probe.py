"""A function of one value that stands for another one, its derivatives and their differences.

The function under test is not checked alone. A head in front of it and a tail
behind it are curved, so that its inputs have a history, and the gradient that
arrives depends on the inputs: some wrong second derivatives show only there.
Neither moves the point at which it is evaluated.

A complex input stands for its real and its imaginary part, two real inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.dispatch import current, engine_of
from .functional import grad

_SMALL = 1e-3  # a result without a larger value is measured by its own size
_ROUNDING = 1e13  # the unit in which rounding, divided by a step, is below what is allowed
STEP = 6e-6  # near the cube root of float64's precision, best for central differences


class Parts:
    """Real and imaginary parts in the place of complex inputs."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._complex = [isinstance(value, np.ndarray) and value.dtype.kind == "c" for value in values]

    def of(self, values: Sequence[Any]) -> list[Any]:
        """The values, with two arrays for a complex one."""
        pairs = zip(values, self._complex, strict=True)
        return [part for value, pair in pairs for part in ((value.real, value.imag) if pair else (value,))]

    def taken_by(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of the parts."""
        if not any(self._complex):
            return function

        def of_parts(*values: Any) -> Any:
            given = iter(values)
            return function(
                *(_joined(next(given), next(given)) if pair else next(given) for pair in self._complex)
            )

        return of_parts

    def place(self, index: int) -> tuple[int, str]:
        """The position of the input that a part belongs to, and which part it is, in words."""
        places = [
            (k, which)
            for k, pair in enumerate(self._complex)
            for which in (("the real part of ", "the imaginary part of ") if pair else ("",))
        ]
        return places[index]


def _joined(real: Any, imag: Any) -> Any:
    return real + 1j * imag


class Probe:
    """A function of the inputs with one value: curved head, the function, curved tail, random weights.

    `points` are the inputs where it is evaluated, with two real ones for a complex one; `ways` has a random
    direction for each; `results` are the positions of the results that count; `names` those of the inputs, as
    far as they have some. Raises TypeError where there is no result of a float dtype.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        values: Sequence[Any],
        rng: np.random.Generator,
        names: Sequence[str] = (),
    ) -> None:
        self.names = names
        self.parts = Parts(values)
        points = self.points = self.parts.of(values)
        self._function = function = self.parts.taken_by(function)
        self._heads = [rng.uniform(0.5, 1.5, (2, *np.shape(point))) for point in points]
        self._directions = [rng.uniform(-1.0, 1.0, np.shape(point)) for point in points]
        found = [value.detach().numpy() for value in _results(function, points)]
        # Results that are no numbers there say nothing, and hide no others.
        self._known = [np.isfinite(value) for value in found]
        self._centres = [np.where(known, value, 0) for known, value in zip(self._known, found, strict=True)]
        self._weights = [_weights(centre, rng) for centre in self._centres]
        self.ways = [
            rng.uniform(0.5, 1.0, np.shape(p)) * rng.choice([-1.0, 1.0], np.shape(p)) for p in points
        ]
        # Large values hide no small ones.
        units = self._units()
        self._scales = [
            1 / (unit + np.abs(centre)) for unit, centre in zip(units, self._centres, strict=True)
        ]
        self.results: tuple[int, ...] = tuple(
            i for i, centre in enumerate(self._centres) if centre.dtype.kind in "fc"
        )
        if not self.results:
            raise TypeError("gradcheck needs a function with a result of a float or complex dtype")

    def alone(self, position: int) -> Probe:
        """The same with one result."""
        other = object.__new__(Probe)
        other.__dict__.update(self.__dict__)
        other.results = (position,)
        return other

    def slopes(self, index: int) -> Any:
        """The derivatives of the head in front of an input."""
        return self._heads[index][0]

    def _units(self) -> list[float]:
        """One for each result, or the largest of values that are all small, where that is above rounding.

        The third differences of smooth values are rounding alone.
        """
        sizes = [size_of(centre) for centre in self._centres]
        if not any(0 < size < _SMALL for size in sizes):
            return [1.0] * len(sizes)
        moves = [
            step_of(p, way) * way if _is_float(p) else 0
            for p, way in zip(self.points, self.ways, strict=True)
        ]
        ends = [
            [
                value.detach().numpy()
                for value in _results(
                    self._function,
                    [p + k * move if _is_float(p) else p for p, move in zip(self.points, moves, strict=True)],
                )
            ]
            for k in (-2, -1, 1, 2)
        ]
        units = []
        for size, (first, second, third, last) in zip(sizes, zip(*ends, strict=True), strict=True):
            rounding = size_of(last - 2 * third + 2 * second - first) if first.dtype.kind in "fc" else 1.0
            units.append(min(1.0, max(size, _ROUNDING * rounding)) if 0 < size < _SMALL else 1.0)
        return units

    def value(self, leaves: Sequence[Any], order: int, differentiable: bool = True) -> Any:
        """A single value that holds the derivative of this order, along random directions.

        Where it need not be `differentiable`, nothing is recorded of the last backward pass.
        """
        total = self._value(leaves)
        for k in range(1, order + 1):
            if not total.requires_grad:
                # A constant, as the sign of a determinant: differences see if it is one.
                return current().tensor(0.0)
            wanted = [leaf for leaf in leaves if engine_of(leaf) is not None]
            graph = differentiable or k < order
            gradients = iter(grad(total, wanted, create_graph=graph, materialize_grads=True))
            parts = [
                (next(gradients) * _as(direction, leaf)).sum()
                for leaf, direction in zip(leaves, self._directions, strict=True)
                if engine_of(leaf) is not None
            ]
            total = _total(parts)
        return total

    def _value(self, leaves: Sequence[Any]) -> Any:
        bent = [
            leaf if engine_of(leaf) is None else self._bend(leaf, point, head)
            for leaf, point, head in zip(leaves, self.points, self._heads, strict=True)
        ]
        values = _results(self._function, bent)
        parts = []
        for i in self.results:
            known = self._known[i]
            value = values[i] if known.all() else np.where(known, values[i], 0)
            away = (value - _as(self._centres[i], value)) * _as(self._scales[i], value)
            bent = (away + away * away) * _as(self._weights[i], values[i])
            parts.append((bent.real if bent.dtype.kind == "c" else bent).sum())
        return _total(parts)

    @staticmethod
    def _bend(leaf: Any, point: Any, head: Any) -> Any:
        known = np.isfinite(point)
        centre = _as(np.where(known, point, 0), leaf)
        away = (leaf if known.all() else np.where(known, leaf, 0)) - centre
        bent = centre + away * _as(head[0], leaf) + away * away * _as(head[1], leaf)
        return bent if known.all() else np.where(known, bent, leaf)  # infinity and NaN do not move


def _weights(centre: Any, rng: np.random.Generator) -> Any:
    weights = rng.uniform(0.5, 1.5, centre.shape)
    return weights + 1j * rng.uniform(0.5, 1.5, centre.shape) if centre.dtype.kind == "c" else weights


def size_of(gradient: Any) -> float:
    """The largest entry of a gradient that is a number."""
    return float(np.max(np.abs(gradient), initial=0.0, where=np.isfinite(gradient)))


def derivatives(probe: Probe, order: int, dtype: Any = np.float64) -> list[Any]:
    """Analytic gradients by each input of the derivative of order - 1; None for inputs without."""
    leaves = _leaves(probe.points, dtype)
    wanted = [leaf for leaf in leaves if engine_of(leaf) is not None]
    total = probe.value(leaves, order - 1)
    if not total.requires_grad:
        return [None if engine_of(leaf) is None else np.zeros(leaf.shape) for leaf in leaves]
    found = iter(grad(total, wanted, materialize_grads=True))
    return [None if engine_of(leaf) is None else next(found).numpy() for leaf in leaves]


def difference(probe: Probe, i: int, direction: Any, order: int) -> float:
    """The central difference of the derivative of this order, along a direction in input i."""
    step = step_of(probe.points[i], direction)
    return half_difference(probe, {i: step * direction}, order) / step


def step_of(point: Any, direction: Any) -> float:
    """The step of a difference along a direction, which grows with the values that move."""
    moving = (direction != 0) & np.isfinite(point)
    return STEP * max(1.0, float(np.max(np.abs(point), initial=0.0, where=moving)))


def half_difference(probe: Probe, moves: Mapping[int, Any], order: int) -> float:
    """Half of how far the derivative of this order is apart after moves of inputs and their opposites."""
    back = {i: -move for i, move in moves.items()}
    return (value_at(probe, moves, order) - value_at(probe, back, order)) / 2


def value_at(probe: Probe, moves: Mapping[int, Any], order: int) -> float:
    """The derivative of this order after moves of inputs."""
    moved = [np.asarray(point + moves[k]) if k in moves else point for k, point in enumerate(probe.points)]
    return float(probe.value(_leaves(moved), order, differentiable=False).item())


def probes(probe: Probe) -> Iterator[Probe]:
    """A probe of all results together, and of several of each alone: the others' gradients are undefined."""
    yield probe
    if len(probe.results) > 1:
        yield from map(probe.alone, probe.results)


def point_of(value: Any) -> Any:
    """An input as it is held: floats in float64, complex numbers in complex128, anything else unchanged."""
    if engine_of(value) is not None:
        value = value.detach().numpy()
    if isinstance(value, (complex, np.complexfloating, np.ndarray)) and np.iscomplexobj(value):
        return np.array(value, np.complex128)
    if isinstance(value, (float, np.floating, np.ndarray)) and np.asarray(value).dtype.kind == "f":
        return np.array(value, np.float64)
    return value


def _leaves(points: Sequence[Any], dtype: Any = np.float64) -> list[Any]:
    """Tensors that require grad for the float inputs."""
    engine = current()
    return [
        engine.tensor(point.astype(dtype), requires_grad=True) if _is_float(point) else point
        for point in points
    ]


def _is_float(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def _as(constant: Any, like: Any) -> Any:
    return np.asarray(constant, like.dtype)


def _total(parts: Sequence[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _results(function: Callable[..., Any], values: Sequence[Any]) -> tuple[Any, ...]:
    """The function's results as tensors, several or one."""
    engine = current()
    results = function(*(engine.tensor(value) if _is_float(value) else value for value in values))
    found = results if isinstance(results, (tuple, list)) else (results,)
    return tuple(value if engine_of(value) is not None else engine.tensor(value) for value in found)
