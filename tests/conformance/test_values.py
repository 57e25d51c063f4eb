"""Values and dtypes of NumPy's functions with their options: what NumPy gives, of operands of every kind."""

import warnings

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core.errors import PullbackError
from tests.conformance.calls_of_numpy import CALLS

DTYPES = ["uint8", "int8", "int64", "bool", "float16", "float32", "float64", "complex64", "complex128"]
# Of bools NumPy refuses differences of neighbours, and multiplies polynomials by "and".
NOT_OF_BOOLS = ("np.ediff1d(v)", "np.polyval(v,w)")


def operands(dtype):
    """Matrices, vectors and a square matrix, well conditioned; whole numbers reach the end of their range."""
    rng = np.random.default_rng(3)
    shapes = {"a": (3, 4), "b": (3, 4), "v": (4,), "w": (4,), "s": (3, 3)}
    if np.dtype(dtype).kind in "biu":
        most = 120 if dtype == "int8" else 250
        made = {name: rng.integers(1, most, shape) for name, shape in shapes.items()}
    else:
        made = {name: rng.uniform(0.5, 4.0, shape) for name, shape in shapes.items()}
        if np.dtype(dtype).kind == "c":
            made = {name: value + 1j * rng.uniform(-2, 2, value.shape) for name, value in made.items()}
    return {name: value.astype(dtype) for name, value in made.items()}


def outcome(call, names):
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's, of complex weights and of nothing left to divide by
            found = eval(call, {"np": np}, names)
    except (TypeError, ValueError, np.linalg.LinAlgError, PullbackError) as error:
        return error
    return np.asarray(found.numpy() if isinstance(found, pb.Tensor) else found)


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_those_of_numpy(engine, dtype):
    given = operands(dtype)
    wrong = []
    for call in CALLS:
        if dtype == "bool" and call in NOT_OF_BOOLS:
            continue
        wanted = outcome(call, {**given, "T": np.dtype(dtype)})
        tensors = {name: pb.tensor(value) for name, value in given.items()}
        found = outcome(call, {**tensors, "T": np.dtype(dtype)})
        if isinstance(wanted, Exception) or isinstance(found, Exception):
            if not isinstance(found, Exception) or not isinstance(wanted, Exception):
                wrong.append(f"{call}: {wanted!r:.90} / {found!r:.90}")
            continue
        tolerance = {"float16": 2e-2, "float32": 1e-4, "complex64": 1e-4}.get(str(found.dtype), 1e-9)
        same = found.shape == wanted.shape and np.allclose(
            found, wanted, tolerance, tolerance, equal_nan=True
        )
        if not same or found.dtype != wanted.dtype:
            wrong.append(f"{call}: {wanted.dtype} {wanted.ravel()[:3]} / {found.dtype} {found.ravel()[:3]}")
    assert not wrong, "\n".join(wrong)
