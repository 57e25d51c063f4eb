"""The ways to run a random program, each compared with NumPy running the same text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import pullback as pb
from pullback.engine.core.operator import Operator
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.loops.kernels.guard import FAILED

from .generator import ATTRIBUTES, TENSORS, arrays


def load(path: Path, text: str) -> Callable[..., Any]:
    """The function that a program's text defines, from a file: formulas are read from one."""
    path.write_text(text)
    # Not imported: bytecode of a file of this length, written in the same second, would stand for its text.
    names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(text, str(path), "exec"), names)
    function: Callable[..., Any] = names["program"]
    return function


def compare(text: str, folder: Path, order: int = 2) -> str:
    """Compare every way to run a program, to an order of derivatives; why kernels did not run, or nothing.

    Raises AssertionError where two ways differ; any other exception but a located refusal is an error too.
    """
    program = load(folder / "program.py", text)
    expected = _parts(program(*arrays().values(), **ATTRIBUTES))
    single = {name: a.astype(np.float32) if name in TENSORS else a for name, a in arrays().items()}
    try:
        formula = pb.derive_pullback(program)
        value = formula(*arrays().values(), **ATTRIBUTES)
        _same(_parts(value), expected, "the derived formula's value", 1e-12)
        fast = pb.compile(formula, order=order)
        with mock.patch.object(Operator, "forward", autospec=True, side_effect=Operator.forward) as python:
            value = fast(*arrays().values(), **ATTRIBUTES)
            in_single = fast(*single.values(), **ATTRIBUTES)
    except FormulaError as error:
        located = error.diagnostics[0]
        assert FAILED not in located.message
        assert located.span.line > 0
        return f"{located.code} {located.message}"
    _same(_parts(value), expected, "the compiled value", 1e-9)
    _same(_parts(in_single), _parts(program(*single.values(), **ATTRIBUTES)), "the value of float32", 1e-3)
    if order:
        try:
            with pb.use_engine("reference"):
                wanted = _derivatives(formula, order)
        except pb.GradientShapeError as error:  # of a value with more axes than what it is written to
            return str(error)
        _same(_derivatives(fast, order), wanted, "compiled derivatives", 1e-7)
    return "a kernel refused its arguments" if python.called else ""


def reads(text: str, folder: Path) -> bool:
    """Whether the frontend accepts a program."""
    try:
        _ = pb.derive_pullback(load(folder / "program.py", text)).operator
    except FormulaError:
        return False
    return True


def compare_without_compiler(text: str, folder: Path) -> None:
    """Compare a program's value, and its derivative along a direction, with what NumPy gives for its text."""
    program = load(folder / "program.py", text)
    formula = pb.derive_pullback(program)
    _same(
        _parts(formula(*arrays().values(), **ATTRIBUTES)),
        _parts(program(*arrays().values(), **ATTRIBUTES)),
        "the derived formula's value",
        1e-12,
    )
    rng = np.random.default_rng(1)
    along = {name: rng.uniform(-1, 1, shape) for name, shape in TENSORS.items()}

    def total(step: float) -> Any:
        moved = {name: a + step * along[name] if name in along else a for name, a in arrays().items()}
        return sum(np.sum(np.sin(part)) for part in _parts(program(*moved.values(), **ATTRIBUTES)))

    with pb.use_engine("reference"):
        gradients = _derivatives(formula, 1) or [np.zeros(shape) for shape in TENSORS.values()]
    found = sum(np.sum(a * d) for a, d in zip(gradients, along.values(), strict=True))
    step = 1e-6
    sides = [(total(step) - total(0.0)) / step, (total(0.0) - total(-step)) / step]
    assert min(sides) - 1e-3 <= found <= max(sides) + 1e-3, f"{found} is no derivative: {sides}"


def _parts(value: Any) -> list[np.ndarray]:
    """A program's results as arrays."""
    return [np.asarray(part) for part in (value if isinstance(value, tuple) else (value,))]


def _derivatives(function: Callable[..., Any], order: int) -> list[np.ndarray]:
    """Gradients of a bent sum of the results, then of a bent sum of those; zeros where there is none."""
    given = arrays()
    tensors = {name: pb.tensor(given[name], requires_grad=True) for name in TENSORS}
    value = function(*tensors.values(), given["idx"], given["mask"], **ATTRIBUTES)
    parts = [part for part in (value if isinstance(value, tuple) else (value,)) if _recorded(part)]
    found = []
    for _ in range(order):
        if not parts:
            break
        total = sum(np.sum(np.sin(part)) for part in parts)
        gradients = pb.grad(total, list(tensors.values()), create_graph=True, allow_unused=True)
        for gradient, tensor in zip(gradients, tensors.values(), strict=True):
            found.append(np.zeros(tensor.shape) if gradient is None else gradient.detach().numpy())
        parts = [gradient for gradient in gradients if _recorded(gradient)]
    return found


def _recorded(value: Any) -> bool:
    return isinstance(value, pb.Tensor) and value.requires_grad


def _same(found: list[np.ndarray], expected: list[np.ndarray], what: str, near: float) -> None:
    """Assert equal arrays, of the same shapes and dtypes."""
    zeros = [np.zeros_like(array) for array in found[len(expected) :]]
    for one, other in zip(found, [*expected, *zeros], strict=True):
        assert one.shape == other.shape, f"{what}: shape {one.shape}, not {other.shape}"
        assert one.dtype == other.dtype, f"{what}: dtype {one.dtype}, not {other.dtype}"
        np.testing.assert_allclose(one, other, rtol=near, atol=near, err_msg=what)
