"""The programs of all families, each with a sample of its inputs, and what comes of compiling one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import pullback as pb
from pullback.engine.core.errors import CompilerError
from pullback.transpile.diagnostics import FormulaError
from tests.constructs.catalog import Call
from tests.constructs.columns import (
    RunsOnPython,
    _no_python_forward,
    assert_same,
    first_order,
    no_python_backward,
    second_order,
)
from tests.kernel_formulas import verify_formulas

from . import (
    applications,
    dynamic_programming,
    everyday,
    finance,
    geometry,
    grids,
    idioms,
    learning,
    notebooks,
    numerics,
    physics,
    signals,
    simulations,
    statistics,
    styles,
    textbooks,
)

FAMILIES = (
    physics,
    statistics,
    finance,
    signals,
    dynamic_programming,
    numerics,
    learning,
    geometry,
    styles,
    everyday,
    applications,
    textbooks,
    simulations,
    grids,
    idioms,
    notebooks,
)


@dataclass(frozen=True)
class Sample:
    """A program and one call of it."""

    function: Callable[..., Any]
    call: Call

    @property
    def name(self) -> str:
        """The program's name, and the attributes that are given."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.call.attributes.items())
        return self.function.__name__ + (f"({given})" if given else "")


SAMPLES = [
    Sample(function, Call(inputs, attributes))
    for family in FAMILIES
    for function, inputs, attributes in family.SAMPLES
]


def outcome_of_kernels(sample: Sample) -> str:
    """What is not as it should be of a program's kernels and two derivatives; empty where nothing is.

    A refusal's code and message; else the first of result and derivatives that goes wrong.
    """
    formula = pb.derive_pullback(sample.function)
    try:
        fast = pb.compile(formula, order=2)
        with _no_python_forward():
            result = sample.call.of(fast)
    except FormulaError as refused:
        return _said(refused.diagnostics)
    except CompilerError:
        return "the C++ compiler refuses the kernel"
    except RunsOnPython:
        return "runs on Python"
    try:
        assert_same(sample.call.of(sample.function), result)
    except AssertionError:
        return "another result"
    try:
        with no_python_backward():
            first_order(fast, sample.call)
    except FormulaError as refused:
        return f"derivatives: {_said(refused.diagnostics)}"
    except RunsOnPython:
        return "its backward runs on Python"
    with pb.use_engine("reference"):
        expected = second_order(formula, sample.call)
    try:
        for one, other in zip(expected, second_order(fast, sample.call), strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-7, atol=1e-9)
    except FormulaError as refused:
        return f"derivatives: {_said(refused.diagnostics)}"
    except CompilerError:
        return "the C++ compiler refuses a derivative's kernel"
    except AssertionError:
        return "other derivatives"
    except ValueError:
        return "derivatives raise"
    verify_formulas(fast)
    return _said(limit for made in fast._operators.values() for limit in made.compiled.limits)


def _said(diagnostics: Any) -> str:
    return "; ".join(dict.fromkeys(f"{each.code} {each.message}" for each in diagnostics))
