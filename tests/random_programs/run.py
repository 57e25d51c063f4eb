"""The ways to run a random program, each compared with NumPy running the same text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import pullback as pb
from pullback.engine.core.operator import Operator
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.loops.kernels.guard import FAILED

from .cases import Case, others
from .generator import RAISED, is_small

# Refused as it runs: whether a list that is filled by place holds arrays is known then.
_OF_ARRAYS = "a list that is filled by place is one of numbers here"
# NumPy's refusal of an array where such a list, which is an array then, holds a number.
_IN_A_PLACE = "setting an array element with a sequence"
_PLACE = re.compile(r"\b(items|rows|parts|steps)\[0\] = ")
# Refusals of what NumPy computes: they are located, and counted.
_REFUSED = (FormulaError, pb.errors.GradientShapeError, pb.errors.BarrierError, pb.errors.MutationError)


@dataclass
class Outcome:
    """What became of a program: why it was refused, else how many of its calls were compared."""

    refusal: str = ""
    line: int = 0
    by_kernel: int = 0
    by_python: int = 0
    notes: list[str] = field(default_factory=list)


def load(path: Path, text: str) -> Callable[..., Any]:
    """The function that a program's text defines, from a file: formulas are read from one."""
    path.write_text(text)
    # Not imported: bytecode of a file of this length, written in the same second, would stand for its text.
    names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(text, str(path), "exec"), names)
    function: Callable[..., Any] = names["program"]
    return function


def compare(text: str, folder: Path, case: Case, order: int = 2, more: Sequence[str] = ()) -> Outcome:
    """Compare every way to run a program for its case, to an order of derivatives, and for `more` cases.

    Raises AssertionError where two ways differ; any other exception but a located refusal is an error too.
    """
    program = load(folder / "as_read.py", text)
    outcome = Outcome()
    try:
        formula = pb.derive_pullback(load(folder / "program.py", text))
        fast = pb.compile(formula, order=order)
        in_double = 1e-4 if "float32" in text else 1e-9
        differentiated = [
            _compare_values(program, formula, fast, case, dtype, near, outcome)
            for dtype, near in ((np.float64, in_double), (np.float32, 2e-3))
            if dtype is np.float64 or "dp[" not in text  # a list that is filled by place holds float64
        ]
    except FormulaError as error:
        return Outcome(_reason(error), error.diagnostics[0].span.line)
    except pb.errors.MutationError as error:
        return Outcome(_reason(error))
    except (TypeError, ValueError) as error:
        if not _is_of_arrays(error, text):
            raise
        return Outcome(_OF_ARRAYS)
    try:
        if order and all(differentiated):
            with pb.use_engine("reference"):
                wanted = derivatives(formula, case, order)
            _same(derivatives(fast, case, order), wanted, "compiled derivatives", max(in_double, 1e-7))
            if "dp[" in text:
                return outcome
            given = case.arrays(np.float32)
            with pb.use_engine("reference"):
                wanted = derivatives(formula, case, order, given)
            _same(derivatives(fast, case, order, given), wanted, "compiled derivatives, float32", 2e-2)
    except _REFUSED as error:
        outcome.notes.append(_reason(error))
    for name in more:
        other = others(case)[name]
        again = fast if other.attributes == case.attributes else pb.compile(formula, order=1)
        try:
            if not _compare_values(program, formula, again, other, np.float64, in_double, outcome):
                continue
            with pb.use_engine("reference"):
                wanted = derivatives(formula, other, 1)
            _same(derivatives(again, other, 1), wanted, f"compiled derivatives, {name}", max(in_double, 1e-7))
        except _REFUSED as error:
            outcome.notes.append(f"{name}: {_reason(error)}")
    return outcome


def _compare_values(
    program: Callable[..., Any],
    formula: Callable[..., Any],
    fast: Callable[..., Any],
    case: Case,
    dtype: type,
    near: float,
    outcome: Outcome,
) -> bool:
    """Whether there is a value to compare derivatives of; where NumPy raises, so must the others."""

    def given() -> list[Any]:
        return list(case.arrays(dtype).values())

    result = _value_or_error(program, given(), case)
    if isinstance(result, Exception):
        found = [_value_or_error(way, given(), case) for way in (formula, fast)]
        if str(result) == RAISED:
            assert all(str(each) == RAISED for each in found), f"{found} for {case}, where NumPy raises"
        elif not any(isinstance(each, Exception) for each in found):  # a statement that nothing reads raised
            _same(parts_of(found[1]), parts_of(found[0]), f"the compiled value, {case}", near)
        elif isinstance(found[0], Exception) and not isinstance(found[1], Exception):
            outcome.notes.append(f"a kernel's value where {_reason(found[0])}")
        return False
    expected = parts_of(result)
    if not is_small(expected):
        return False
    _same(
        parts_of(formula(*given(), **case.attributes)),
        expected,
        f"the derived value, {case}",
        1e-5 if dtype is np.float32 else 1e-12,
    )
    with mock.patch.object(Operator, "forward", autospec=True, side_effect=Operator.forward) as python:
        value = fast(*given(), **case.attributes)
    outcome.by_python += python.called
    outcome.by_kernel += not python.called
    _same(parts_of(value), expected, f"the compiled value, {case}, {dtype.__name__}", near)
    return True


def _value_or_error(function: Callable[..., Any], given: Sequence[Any], case: Case) -> Any:
    try:
        return function(*given, **case.attributes)
    except Exception as error:
        return error


def _reason(error: Exception) -> str:
    if not isinstance(error, FormulaError):
        return f"{type(error).__name__} {str(error).splitlines()[0]}"
    located = error.diagnostics[0]
    assert FAILED not in located.message, located.message
    assert located.span.line > 0
    return f"{located.code} {located.message}"


def _is_of_arrays(error: Exception, text: str) -> bool:
    """Whether an error says that a list which is filled by place holds an array, or is to hold one."""
    return _OF_ARRAYS in str(error) or (_IN_A_PLACE in str(error) and _PLACE.search(text) is not None)


def reads(text: str, folder: Path) -> bool:
    """Whether the frontend accepts a program."""
    try:
        _ = pb.derive_pullback(load(folder / "program.py", text)).operator
    except FormulaError:
        return False
    return True


def compare_without_compiler(text: str, folder: Path, case: Case, order: int = 1) -> None:
    """Compare a program's value, and derivatives along a direction, with what NumPy gives for its text.

    That of the second order is compared with differences of gradients.
    """
    program = load(folder / "as_read.py", text)
    formula = pb.derive_pullback(load(folder / "program.py", text))
    try:
        value = formula(*case.arrays().values(), **case.attributes)
    except (TypeError, ValueError) as error:
        if not _is_of_arrays(error, text):
            raise
        return
    values = [parts_of(value), parts_of(program(*case.arrays().values(), **case.attributes))]
    _same(*values, "the derived formula's value", 1e-12)
    if "float32" in text:  # its differences are of rounding
        return
    rng = np.random.default_rng(1)
    along = {name: rng.uniform(-1, 1, shape) for name, shape in case.tensors.items()}

    def total(step: float, taken: int) -> Any:
        moved = {name: a + step * along[name] if name in along else a for name, a in case.arrays().items()}
        if not taken:
            parts = parts_of(program(*moved.values(), **case.attributes))
        else:
            parts = derivatives(formula, case, taken, moved)[4 * (taken - 1) :]
        return sum(np.sum(np.sin(part)) for part in parts if part.dtype.kind == "f")

    with pb.use_engine("reference"):
        for taken in range(order):
            gradients = derivatives(formula, case, taken + 1)[4 * taken :]
            if not gradients:
                return
            found = sum(np.sum(a * d) for a, d in zip(gradients, along.values(), strict=True))
            step = 1e-6
            sides = [
                (total(step, taken) - total(0.0, taken)) / step,
                (total(0.0, taken) - total(-step, taken)) / step,
            ]
            slack = 1e-3 * max(1.0, abs(found))
            assert min(sides) - slack <= found <= max(sides) + slack, (
                f"{found} is no derivative of order {taken + 1}: {sides}"
            )


def parts_of(value: Any) -> list[np.ndarray]:
    """A program's results as arrays."""
    return [np.asarray(part) for part in (value if isinstance(value, tuple) else (value,))]


def derivatives(
    function: Callable[..., Any], case: Case, order: int, given: dict[str, Any] | None = None
) -> list[np.ndarray]:
    """Gradients of a bent sum of the results, then of a bent sum of those; zeros where there is none."""
    given = given or case.arrays()
    tensors = {name: pb.tensor(given[name], requires_grad=True) for name in case.tensors}
    value = function(*tensors.values(), given["idx"], given["mask"], **case.attributes)
    parts = [part for part in (value if isinstance(value, tuple) else (value,)) if _recorded(part)]
    found = []
    for _ in range(order):
        if not parts:
            break
        total = sum(np.sum(np.sin(part)) for part in parts)
        gradients = pb.grad(total, list(tensors.values()), create_graph=True, allow_unused=True)
        for gradient, tensor in zip(gradients, tensors.values(), strict=True):
            zeros = np.zeros(tensor.shape, tensor.dtype)
            found.append(zeros if gradient is None else gradient.detach().numpy())
        parts = [gradient for gradient in gradients if _recorded(gradient)]
    return found


def _recorded(value: Any) -> bool:
    return isinstance(value, pb.Tensor) and value.requires_grad


def _same(found: list[np.ndarray], expected: list[np.ndarray], what: str, near: float) -> None:
    """Assert equal arrays, of the same shapes and dtypes; what one way does not record is zero."""
    first, second = (
        [*these, *map(np.zeros_like, those[len(these) :])]
        for these, those in ((found, expected), (expected, found))
    )
    for one, other in zip(first, second, strict=True):
        assert one.shape == other.shape, f"{what}: shape {one.shape}, not {other.shape}"
        assert one.dtype == other.dtype, f"{what}: dtype {one.dtype}, not {other.dtype}"
        np.testing.assert_allclose(one, other, rtol=near, atol=near, err_msg=what)
