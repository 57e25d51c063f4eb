"""NumPy's own functions on tensors reach their operators without Python in between."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native

X = [0.3, 0.5, 0.7, 0.9]
CALLS: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin,
    "two operands": lambda x: np.add(x, x),
    "an array first": lambda x: np.ones(4) * x,
    "axis by position": lambda x: np.sum(x, 0),
    "axis by keyword": lambda x: np.max(x, axis=0),
    "where": lambda x: np.where(np.array([True, False, True, False]), x, 2.0),
    "outer": lambda x: np.outer(x, x),
    "matmul": lambda x: np.matmul(x, x),
    "a comparison": lambda x: np.greater(x, 0.4),
    "an operator that compares": lambda x: x <= x,
    "an operator's remainder": lambda x: x % 0.4,
    "the remainder of a number": lambda x: 2.0 % x,
    "a floored quotient": lambda x: x // 0.4,
    "a question": np.ndim,
    "another question": np.shape,
    "reshape": lambda x: np.reshape(x, (2, -1)),
    "transpose": lambda x: np.transpose(x[None], (1, 0)),
    "swapaxes": lambda x: np.swapaxes(x[None], 0, axis2=-1),
    "broadcast_to": lambda x: np.broadcast_to(x, (3, 4)),
}


def python_functions(call: Callable[[], Any]) -> list[str]:
    """The functions of the package that run in Python during a call."""
    seen: list[str] = []

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call" and str(frame.f_globals.get("__name__", "")).startswith("pullback."):
            seen.append(frame.f_code.co_qualname)

    for _ in range(2):  # the first imports the library and finds the operator, the second finds it again
        call()
    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    return seen


@pytest.mark.parametrize("name", CALLS)
def test_no_python_of_the_package_runs(name):
    x = pb.tensor(X, requires_grad=True)
    assert python_functions(lambda: CALLS[name](x)) == []


@pytest.mark.parametrize("function", [np.fliplr, pb.numpy.ravel, np.atleast_2d, pb.numpy.matrix_transpose])
def test_of_a_function_written_with_operators_only_its_own_python_runs(function):
    x = pb.tensor([X], requires_grad=True)
    ran = python_functions(lambda: function(x))
    assert ran[0] == function.__name__
    assert not {"dispatching", "_run", "engine_of", "call_generally"} & set(ran)


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_are_those_of_the_reference_engine(name):
    def run(engine: str) -> tuple[Any, Any]:
        with pb.use_engine(engine):
            x = pb.tensor(X, requires_grad=True)
            y = CALLS[name](x)
            if not getattr(y, "requires_grad", False):
                return np.asarray(y), None
            return y.detach().numpy(), pb.grad(np.sum(y), x)[0].numpy()

    for mine, other in zip(run("native"), run("reference"), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-14) if other is not None else None


REPLACED = """
import numpy as np
import pullback as pb

x = pb.tensor([0.5], requires_grad=True)
print(np.sin(x).item(), np.flipud(x).item())

@pb.formula(np.sin)
def sin(x):
    r = 2 * np.cos(x)

    def sin_pullback(grad):
        return -2 * np.sin(x) * grad

    return r, sin_pullback

@pb.composite(np.flipud)
def flipud(m):
    return m * 3

print(np.sin(x).item(), np.flipud(x).item())
"""


def test_a_function_of_the_user_takes_over_at_once(tmp_path):
    script = tmp_path / "replaced.py"
    script.write_text(REPLACED)
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    np.testing.assert_allclose(np.array(ran.stdout.split(), float), [np.sin(0.5), 0.5, 2 * np.cos(0.5), 1.5])


def test_out_goes_through_python_by_position_and_by_keyword():
    x = pb.tensor(X, requires_grad=True)
    for place in ({"out": True}, {}):
        out = pb.tensor(0.0)
        r = np.sum(x, 0, None, out) if not place else np.sum(x, 0, out=out)
        assert r is out
        np.testing.assert_allclose(r.detach().numpy(), np.sum(X))


def test_wrong_arguments_are_errors_as_those_of_numpy():
    x = pb.tensor(X, requires_grad=True)
    with pytest.raises(TypeError):
        np.sum(x, axes=0)
    with pytest.raises(TypeError):
        np.sum(x, 0, axis=0)
    with pytest.raises(TypeError):
        np.add(x)


@pytest.mark.parametrize("view", [
    lambda x: np.expand_dims(x, (0, 2)),
    lambda x: np.moveaxis(np.reshape(x, (2, 2)), 0, 1),
    lambda x: np.flip(x),
    lambda x: np.flip(np.reshape(x, (2, 2)), 1),
    lambda x: np.diagonal(np.reshape(x, (2, 2)), 1),
    lambda x: np.squeeze(x[None]),
    lambda x: np.broadcast_to(x, (3, 4)),
    lambda x: np.broadcast_to(x[:1], (4,)),
])  # fmt: skip
def test_gradients_of_views_are_placed_where_they_belong(view):
    def run(engine: str) -> np.ndarray[Any, Any]:
        with pb.use_engine(engine):
            x = pb.tensor(X, requires_grad=True)
            y = view(x)
            return pb.grad(np.sum(y * np.arange(1.0, 1.0 + y.size).reshape(y.shape)), x)[0].numpy()

    np.testing.assert_array_equal(run("native"), run("reference"))


def test_functions_written_with_operators_refuse_what_operators_refuse():
    import torch

    x = pb.tensor(X, requires_grad=True)
    with pb.use_engine("reference"):
        other = pb.tensor(X)
    for function in (np.append, pb.numpy.append, np.kron):
        with pytest.raises(pb.errors.EngineMismatchError):
            function(x, other)
        with pytest.raises(pb.errors.ForeignArrayError):
            function(x, torch.ones(4))
