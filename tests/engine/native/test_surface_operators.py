"""Every operator of the engine without Python against this one: values, first and second derivatives."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.engine.native._native import builtin_kernels
from pullback.engine.plumbing import Like
from pullback.engine.registry import FORMULAS
from pullback.tools.guessing import guess_inputs
from pullback.transpile.emit.surface.kernels import KernelCalls
from pullback.transpile.emit.surface.library import COMPOSITES, PRIMITIVES, surface_library
from pullback.transpile.library import standard_library
from pullback.transpile.operators import OPERATORS

from .programs import compiled

pytestmark = [pytest.mark.native, pytest.mark.compiler]

RUNNER = Path(__file__).with_name("surface_runner.cpp")
RNG = np.random.default_rng(0)

# What has no C++ over operators, and why: its arithmetic is in NumPy or SciPy alone, or an index is an array.
NEEDS_PYTHON = {
    "special functions": """
        i0 i1 i0e i1e j0 j1 y0 y1 k0 k1 k0e k1e bessel_i bessel_j erfcx erfi erfinv erfcinv dawsn
        ndtr log_ndtr ndtri gammaln loggamma gamma rgamma digamma polygamma beta betaln
        expi exp1 rel_entr kl_div sinc sinc_derivative
    """,
    "decompositions and solvers": "slogdet eigh qr svd inv solve det cholesky pinv",
    "positions that are arrays": """
        index_put last_written take_along_axis put_along sort argsort argpartition searchsorted argmax argmin
        take_region spread_region clear_region repeat sum_repeats
    """,
    "subscripts and orders that Python reads": "contract contract_gradients norm convolve",
    "lists of a loop": """
        appended without_last collect collect_flat unitem zeros_list packed unpacked join_like
    """,
    "bits": "left_shift right_shift",
    "tensors of nothing": "zeros ones full arange eye tri",
}


def available() -> list[str]:
    """Operators that the engine without Python has."""
    library = standard_library()
    kernels = dict.fromkeys(builtin_kernels(), KernelCalls("T"))
    found = surface_library(library, kernels)
    lists = {name for name, word in OPERATORS.items() if word.gives_list}
    return [entry.formula.name for entry in found.entries] + sorted((COMPOSITES & set(OPERATORS)) - lists)


def test_what_needs_python_is_what_the_table_says():
    stated = {name for names in NEEDS_PYTHON.values() for name in names.split()}
    constants = {name for name, word in OPERATORS.items() if word.derivative == "zero"} & PRIMITIVES
    assert stated == {*OPERATORS, *standard_library().names()} - {*available(), *constants, *COMPOSITES}


def described(value: Any) -> str:
    """An attribute as the runner reads it."""
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return f"truth {int(value)}"
    if isinstance(value, (int, np.integer)):
        return f"integer {value}"
    if isinstance(value, float):
        return f"number {value!r}"
    if isinstance(value, str):
        return f"text {value}"
    if isinstance(value, (type, np.dtype)):
        return f"text {np.dtype(value).name}"
    if isinstance(value, Like):
        return f"like {len(value.shape)} {' '.join(map(str, value.shape))}"
    if isinstance(value, (list, tuple)) and all(isinstance(item, (int, np.integer)) for item in value):
        return f"integers {len(value)} {' '.join(map(str, value))}"
    parts = value if isinstance(value, tuple) else (value,)
    return f"index {len(parts)} {' '.join(map(part, parts))}"


def part(item: Any) -> str:
    """A part of an index."""
    if item is None or item is Ellipsis:
        return "new" if item is None else "ellipsis"
    if isinstance(item, (int, np.integer)):
        return f"place {item}"
    if not isinstance(item, slice):
        raise TypeError(item)
    ends = ("open" if end is None else str(end) for end in (item.start, item.stop))
    return f"range {' '.join(ends)} {1 if item.step is None else item.step}"


def argument(value: Any) -> str:
    """An argument as the runner reads it."""
    if value is None:
        return "none"
    if isinstance(value, (int, float)):
        return f"number {float(value)!r}"
    array = np.asarray(value)
    values = " ".join(repr(float(entry)) for entry in array.ravel())
    shape = f"{array.ndim} {' '.join(map(str, array.shape))}"
    if array.dtype == bool:
        return f"truths {shape} {values}"
    return f"tensor {int(array.dtype.kind == 'f')} {shape} {values}"


def weighed(x: Any, phase: float) -> Any:
    """As the runner weighs."""
    return pb.numpy.sum(x * np.cos(np.arange(x.size).reshape(x.shape) + phase))


def expected(entry: Any, args: Any, kwargs: Any) -> list[tuple[str, np.ndarray]]:
    """What the runner is to print of a call."""
    inputs: list[Any] = []

    def wrapped(value: Any) -> Any:
        if isinstance(value, list):
            return [wrapped(item) for item in value]
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            inputs.append(pb.tensor(value, requires_grad=True))
            return inputs[-1]
        return value

    with np.errstate(all="ignore"):
        y = entry(*map(wrapped, args), **kwargs)
        found = [("value", y)]
        if not getattr(y, "requires_grad", False):
            return [(what, np.asarray(value)) for what, value in found]
        value = weighed(y, 0.0)
        unused = pb.grad(value, inputs, retain_graph=True, allow_unused=True)
        first = pb.grad(value, inputs, create_graph=True, allow_unused=True, materialize_grads=True)
        found += [("first", gradient) for gradient in first]
        found += [("plain", gradient) for gradient in unused if gradient is not None] * 2
        total = sum(weighed(gradient, 1.0) for gradient in first)
        if total.requires_grad:
            second = pb.grad(total, inputs, allow_unused=True, materialize_grads=True)
            found += [("second", gradient) for gradient in second]
    return [(what, value.detach().numpy()) for what, value in found]


def calls() -> list[tuple[str, Any, Any, Any]]:
    """A call of each sample of each operator that the runner can be told."""
    found = []
    for name in available():
        entry = FORMULAS.of_word(name) or pb.formulas()[name]
        samples = entry.samples() or [guess_inputs(entry)[0]]
        for args, kwargs in samples:
            if name == "tensordot" and not isinstance(kwargs.get("axes", 2), int):
                continue
            if any(isinstance(v, np.ndarray) for v in (*kwargs.values(), kwargs.get("index"))):
                continue
            if any(
                np.asarray(a).dtype.kind not in "fb"
                for a in args
                if not isinstance(a, list) and a is not None
            ):
                continue
            try:
                for value in kwargs.values():
                    described(value)
            except TypeError:
                continue
            found.append((name, entry, args, kwargs))
    return found


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("surface"), RUNNER)


def test_every_operator_agrees_with_this_engine(runner: Path):
    told, wanted = [], []
    for name, entry, args, kwargs in calls():
        flat = [item for value in args for item in (value if isinstance(value, list) else [value])]
        told += [f"op {name}", *map(argument, flat)]
        told += [f"attribute {key} {described(value)}" for key, value in kwargs.items()]
        told.append("run")
        wanted.append((name, expected(entry, args, kwargs)))
    done = subprocess.run([runner], input="\n".join(told), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-500:]
    said = [line.split() for line in done.stdout.split("op ")[1:] for line in line.splitlines()]
    lines = iter(said)
    assert sorted(set(available()) - {name for name, _ in wanted}) == []
    for name, results in wanted:
        assert next(lines) == [name]
        for what, value in results:
            kind, *numbers = next(lines)
            assert kind == what, name
            if numbers == ["zero"]:
                assert not np.any(value), name
                continue
            ndim = int(numbers[0])
            shape = tuple(map(int, numbers[1 : 1 + ndim]))
            assert shape == value.shape, (name, what)
            got = np.array(numbers[1 + ndim :], float).reshape(shape)
            np.testing.assert_allclose(got, value, rtol=1e-9, atol=1e-11, err_msg=f"{name}: {what}")
