"""A closure written by hand beside the one that follows from its forward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pullback.engine.core.dispatch import use_engine
from pullback.engine.core.registry import FORMULAS
from pullback.engine.formula.formula import Formula
from pullback.engine.transforms.probe import derivatives
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.ir import Options

from .checking import Measurement, probes_of
from .guessing import Sample


def derived_of(formula: Formula) -> Formula | None:
    """The formula with a derived closure; None where it has no other one, or none follows from its forward.

    None follows where the forward calls what has no derivative, or the operator that the formula defines.
    """
    read = formula.ir
    own = FORMULAS.operator_name(formula)
    if read.pullback is None or read.options.surrogate or any(eqn.op == own for eqn in read.forward.every()):
        return None
    made = Formula(formula.__wrapped__, Options(), derived=True)
    options = Options(complex=read.options.complex, nondifferentiable=read.options.nondifferentiable)
    made.ir = read.evolve(pullback=None, captures=(), rules=(), options=options)
    try:
        return made if not made.operator.barrier else None
    except FormulaError:
        return None


def compare(
    formula: Formula, derived: Formula, samples: Sequence[Sample], wanted: range
) -> list[Measurement]:
    """The largest difference between the derivatives of the two, for each order, in float64."""
    with use_engine("reference"):
        return [
            Measurement(order, "float64", max(_errors(formula, derived, samples, order))) for order in wanted
        ]


def _errors(formula: Formula, derived: Formula, samples: Sequence[Sample], order: int) -> Iterator[float]:
    for args, kwargs in samples:
        pairs = zip(probes_of(formula, args, kwargs), probes_of(derived, args, kwargs), strict=True)
        for one, other in pairs:
            ours, theirs = derivatives(one, order), derivatives(other, order)
            for left, right in zip(map(_array, ours), map(_array, theirs), strict=True):
                scale = max(1.0, float(np.max(np.abs(right), initial=0.0)))
                error = float(np.max(np.abs(left - right), initial=0.0)) / scale
                yield error if np.isfinite(error) else np.inf


def _array(gradient: Any) -> np.ndarray[Any, Any]:
    """A gradient; one that is undefined is zero."""
    return np.zeros(()) if gradient is None else np.asarray(gradient)
