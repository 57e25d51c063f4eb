"""The ways to run a random program, each compared with NumPy running the same text."""

from __future__ import annotations

import importlib.util
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
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


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
