"""Numbers that become arrays in the first iteration: no iteration of a kernel saves their shape."""

import numpy as np
import pytest

import pullback as pb
from pullback.engine.formula.formula import LIBRARY_OF_PROCESS
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from tests.constructs.columns import _no_python_forward
from tests.sampling import sampled

X, Y = np.array([1.3, 0.4, 0.8]), np.array([[0.5], [1.1]])


def in_place(x, *, n: int = 4):
    total = 0.0
    for k in range(n):
        total += np.sin(x) * k
    return total


def from_one(x, *, n: int = 4):
    total = 1.0
    for k in range(n):
        total = total * x + k
    return total


def backwards(x, *, n: int = 4):
    total = 0
    for k in range(n - 1, -1, -1):
        total = total * np.flip(x) + k * x
    return total


def of_two(x, y, *, n: int = 4):
    total, last = 0, 1.0
    for _ in range(n):
        last = last * 0.5 + y
        total = total + x * last
    return total * last


def of_a_branch(x, *, n: int = 4):
    if n > 2:
        total = 0.0
        for k in range(n):
            total = total + k * x
        x = total**2
    return x


def its_sum(x, *, n: int = 4):
    total = 1.0
    for _ in range(n):
        total = total * x + np.sum(total * x)
    return total


def with_the_last(x, *, n: int = 4):
    total, last = 0.0, 0.0
    for _ in range(n):
        last = total
        total = total * 0.5 + x
    return total + np.sum(last)


def in_a_list(x, *, n: int = 4):
    total, seen = 0.0, []
    for _ in range(n):
        seen.append(np.sum(total * x))
        total = total * 0.5 + x
    return total * np.stack(seen)[-1]


FILLED = [(in_place, X), (from_one, X), (backwards, X), (of_two, X, Y), (of_a_branch, X)]
OTHERS = [(its_sum, X), (with_the_last, X), (in_a_list, X)]


@pytest.mark.parametrize("function", [f for f, *_ in FILLED])
def test_no_iteration_saves_a_shape(function):
    ir = pb.compile(function).formula.ir
    made = formula_kernels(ir, LIBRARY_OF_PROCESS, {"n": 4}, order=1).formula
    assert "for" in [eqn.op for eqn in made.forward.every()]
    assert "packed" not in [eqn.op for eqn in made.forward.every()]


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("function", "operands"), sampled([(f, given) for f, *given in (*FILLED, *OTHERS)], 2, spread=True)
)
def test_values_and_two_derivatives(function, operands):
    fast = pb.compile(function, order=2)
    with _no_python_forward():
        np.testing.assert_allclose(fast(*operands), function(*operands), rtol=1e-14)
    assert pb.gradcheck(fast, *operands, order=2)


@pytest.mark.compiler
@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("dtypes", sampled(["ff", "df", "if", "fd", "ii"], 5))
@pytest.mark.parametrize("function", [in_place, of_two])
def test_numbers_of_iterations_and_dtypes(function, dtypes, n):
    operands = [
        np.array(a * 3, dtype={"f": np.float32, "d": float, "i": int}[code])
        for a, code in zip((X, Y), dtypes, strict=True)
    ]
    operands = operands[: 1 if function is in_place else 2]
    found, expected = pb.compile(function)(*operands, n=n), function(*operands, n=n)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)
