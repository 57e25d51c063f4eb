"""Errors of a formula's derivatives against finite differences, per order and dtype.

The k-th derivative is compared with central differences of the (k-1)-th analytic one, along directions in
one input at a time. float32 is compared with float64. The curved head and tail around the formula are those
of `pb.gradcheck`, which finds the element that is wrong where something is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.engine.core.dispatch import available, use_engine
from pullback.engine.core.errors import CompilerError, GradcheckError
from pullback.engine.formula.formula import Composite, Formula
from pullback.engine.kernels import compile as compile_formula
from pullback.engine.kernels import find_compiler
from pullback.engine.transforms.gradcheck import compare, names_of
from pullback.engine.transforms.probe import Probe, derivatives, difference, point_of, probes

from .guessing import Sample
from .guessing_composites import called

Function = Callable[..., Any]
TOLERANCE = {"float64": 1e-5, "float32": 1e-3}
FEW_ELEMENTS = 6
DIRECTIONS = 4


@dataclass(frozen=True)
class Contender:
    """A way to run a formula: a name, the engine for its tensors, and the function to call."""

    name: str
    engine: str
    function: Function


@dataclass(frozen=True)
class Measurement:
    """The largest relative error of one order in one dtype."""

    order: int
    dtype: str
    error: float

    @property
    def passes(self) -> bool:
        """True where the error is as small as rounding explains."""
        return self.error <= TOLERANCE[self.dtype]


def orders(formula: Formula, highest: int) -> range:
    """The orders that can be checked: none of a surrogate gradient, one of a first-order formula."""
    options = formula.ir.options
    if options.surrogate:
        return range(0)
    return range(1, 1 + (1 if options.first_order_only else highest))


def why_not(name: str) -> str:
    """The reason why formulas cannot run there on this machine; empty where they can."""
    if name in ("reference", "native"):
        return "" if name in available() else "the engine is not built here"
    try:
        find_compiler()
    except CompilerError as error:
        return str(error)
    return ""


def make_contender(formula: Formula, name: str, order: int) -> Contender:
    """The formula as it runs on an engine, or compiled. Raises CompilerError where compiling fails."""
    if name == "compiled":
        return Contender(name, available()[-1], compile_formula(formula, order=order))
    return Contender(name, name, called(formula) if isinstance(formula, Composite) else formula)


def locate(contender: Contender, samples: Sequence[Sample], order: int) -> GradcheckError | None:
    """The error at the element that is wrong, as `pb.gradcheck` finds it; None where it finds none."""
    with use_engine(contender.engine):
        for args, kwargs in samples:
            call, flat = flattened(contender.function, args, kwargs)
            try:
                compare(call, flat, _names_of_flat(contender.function, args), order)
            except GradcheckError as error:
                return error
    return None


def measure(contender: Contender, samples: Sequence[Sample], wanted: range) -> Iterator[Measurement]:
    """The largest error over all samples, for each order in float64 and then in float32."""
    with use_engine(contender.engine):
        found = [probe for args, kwargs in samples for probe in probes_of(contender.function, args, kwargs)]
        for order in wanted:
            yield Measurement(order, "float64", max(_from_differences(probe, order) for probe in found))
            yield Measurement(order, "float32", max(_from_float32(probe, order) for probe in found))


def flattened(function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Function, list[Any]]:
    """A function of single arrays in the place of lists, with the keyword arguments fixed, and its inputs."""
    flat: list[Any] = []
    counts: list[int | None] = []
    for value in args:
        counts.append(len(value) if isinstance(value, list) else None)
        flat += value if isinstance(value, list) else [value]

    def call(*values: Any) -> Any:
        rest = iter(values)
        grouped = [next(rest) if n is None else [next(rest) for _ in range(n)] for n in counts]
        return function(*grouped, **kwargs)

    return call, flat


def _names_of_flat(function: Function, args: Sequence[Any]) -> list[str]:
    """The names of `flattened` inputs, as far as they are known: those of a list's arrays are `xs[0]`."""
    names: list[str] = []
    for value, name in zip(args, names_of(function), strict=False):
        names += [f"{name}[{k}]" for k in range(len(value))] if isinstance(value, list) else [name]
    return names


def probes_of(function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[Probe]:
    """A probe of all results together, and of several of each alone, at these arguments."""
    call, flat = flattened(function, args, kwargs)
    return probes(Probe(call, [point_of(value) for value in flat], np.random.default_rng(0)))


def _from_differences(probe: Probe, order: int) -> float:
    rng = np.random.default_rng(order)
    worst = 0.0
    for i, gradient in enumerate(derivatives(probe, order)):
        if gradient is None:
            continue
        scale = max(1.0, float(np.linalg.norm(gradient)))
        for direction in _directions(np.shape(gradient), rng):
            numeric = difference(probe, i, direction, order - 1)
            error = abs(float(np.vdot(gradient, direction)) - numeric) / scale
            worst = max(worst, error if np.isfinite(error) else np.inf)
    return worst


def _directions(shape: tuple[int, ...], rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Each element alone where there are few, else random directions of length one."""
    size = int(np.prod(shape))
    if size <= FEW_ELEMENTS:
        yield from map(np.asarray, np.eye(size).reshape(size, *shape))
        return
    for _ in range(DIRECTIONS):
        direction = rng.standard_normal(shape)
        yield direction / np.linalg.norm(direction)


def _from_float32(probe: Probe, order: int) -> float:
    worst = 0.0
    pairs = zip(derivatives(probe, order), derivatives(probe, order, np.float32), strict=True)
    for double, single in pairs:
        if double is not None and double.size:
            error = float(np.max(np.abs(double - single))) / max(1.0, float(np.max(np.abs(double))))
            worst = max(worst, error if np.isfinite(error) else np.inf)
    return worst
