"""Arrays that are written as lists: of any length, and of none."""

import math
from unittest import mock

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core.operator import Operator


def squares(x):
    return np.array([e * e for e in x])


def doubled(x):
    rows = []
    for e in x:
        rows.append(e * 2)
    return np.array(rows) * 1.0


def total(x):
    return np.asarray([np.sin(e) for e in x]).sum()


def stacked(x):
    return np.stack([e * e for e in x])


def ragged(x):
    return np.array([x[: k + 1] * 2.0 for k in range(len(x))])


def table(x):
    return np.array([[a * b for b in x] for a in x])


def rows(x):
    return np.array([[value, value**2, 1.0] for value in x])


PROGRAMS = (squares, doubled, total)
ARRAYS = tuple(
    np.random.default_rng(0).uniform(1, 2, shape).astype(dtype)
    for shape in ((0,), (0, 3), (2, 0), (3,), (3, 2))
    for dtype in ("float64", "float32")
)
of_programs = pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)


def _assert_same(found, expected):
    assert (np.shape(found), np.asarray(found).dtype) == (np.shape(expected), np.asarray(expected).dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@of_programs
def test_a_list_of_any_length_becomes_the_array_of_numpy(engine, program):
    formula = pb.derive_pullback(program)
    for x in ARRAYS:
        _assert_same(formula(x), program(x))


@of_programs
def test_it_has_derivatives(engine, program):
    formula = pb.derive_pullback(program)
    for x in ARRAYS[:2] + ARRAYS[6::2]:
        assert pb.gradcheck(formula, x.astype(float), order=2)


@pytest.mark.compiler
@of_programs
def test_kernels_make_the_array_of_numpy(program):
    fast = pb.compile(program)
    for x in ARRAYS:
        _assert_same(fast(x), program(x))


@pytest.mark.compiler
@pytest.mark.parametrize("program", [stacked, ragged], ids=["of no arrays", "of several shapes"])
def test_what_numpy_does_not_stack_is_no_array(program):
    x = np.zeros((0, 2)) if program is stacked else np.ones(3)
    for way in (program, pb.derive_pullback(program), pb.compile(program)):
        with pytest.raises(ValueError):
            way(x)


@pytest.mark.parametrize("program", [table, rows], ids=lambda each: each.__name__)
def test_lists_in_a_list_become_rows(engine, program):
    formula = pb.derive_pullback(program)
    for x in (np.array([0.5, 1.5, 2.0]), np.ones(1), np.ones(0)):
        _assert_same(formula(x), program(x))
    assert pb.gradcheck(formula, np.array([0.5, 1.5, 2.0]), order=2)


def like_another(x):
    zeros = np.zeros_like(x, dtype=np.float64)
    zeros += x
    ones = np.ones_like(x, np.float32)
    return zeros * ones + np.full_like(x, 2, dtype=float) * x.real - np.empty_like(x, shape=(1,)) * 0 + x.imag


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_an_array_like_another_may_have_another_dtype(engine, dtype):
    x = np.arange(1, 4).astype(dtype)
    _assert_same(pb.derive_pullback(like_another)(x), like_another(x))
    if dtype != "int64":
        assert pb.gradcheck(pb.derive_pullback(like_another), x.astype(float), order=2)


def smoothed(x):
    kernel = np.array([0.25, 0.5, 0.25])
    out = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        out[i] = np.sum(kernel * x[i - 1 : i + 2])
    return out


def turned(x, *, angle: float = 0.3):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]]) @ x[:2] * math.tanh(angle) + math.log1p(len(x))


def by_positions(x):
    return x[np.array([2, 0, 1])] * np.asarray([1, 2, 3]) + np.array([True, False, True])


def weighted(x):
    return np.cumsum(np.array([[1, 2], [0.5, 4]]) @ x[:2])


OF_NUMBERS = (smoothed, turned, by_positions, weighted)


@pytest.mark.parametrize("program", OF_NUMBERS, ids=lambda each: each.__name__)
def test_a_list_of_numbers_becomes_an_array(engine, program):
    formula = pb.derive_pullback(program)
    for dtype in (np.float64, np.float32):
        x = np.array([0.5, 1.5, 0.75], dtype)
        _assert_same(formula(x), program(x))
    assert pb.gradcheck(formula, np.array([0.5, 1.5, 0.75]), order=2)


@pytest.mark.compiler
@pytest.mark.parametrize("program", OF_NUMBERS, ids=lambda each: each.__name__)
def test_a_list_of_numbers_is_compiled(program):
    with mock.patch.object(Operator, "forward", side_effect=AssertionError):
        for dtype in (np.float64, np.float32):
            x = np.array([0.5, 1.5, 0.75], dtype)
            _assert_same(pb.compile(program)(x), program(x))


@pytest.mark.compiler
def test_a_function_of_a_number_outside_of_its_domain_raises_as_in_python():
    fast = pb.compile(turned)
    with pytest.raises(ValueError, match="math domain error"):
        fast(np.array([0.5, 1.5, 0.75]), angle=math.inf)


def ragged_numbers(x):
    return x * np.array([[1.0, 2.0], [3.0]])


def test_rows_of_several_lengths_are_left_to_numpy(engine):
    with pytest.raises(ValueError, match="inhomogeneous"):
        pb.derive_pullback(ragged_numbers)(np.ones(2))


def dotted(x):
    return np.dot([1.0, 2.0, 3.0], x) + np.inner(x, (1, 2, 3))


def filtered(x):
    return np.convolve(x, [0.25, 0.5, 0.25], mode="same") * np.maximum(x, [0.1, 0.5, 0.9])


def joined(x):
    return np.outer(x, [1.0, 2.0]) + np.einsum("i,i->", x, [1.0, 2.0, 3.0])


@pytest.mark.compiler
@pytest.mark.parametrize("function", [dotted, filtered, joined])
def test_a_list_of_numbers_is_an_array_where_an_operator_takes_one(function):
    x = np.array([0.3, 0.7, 1.2])
    for made in (pb.derive_pullback(function), pb.compile(function, order=1)):
        np.testing.assert_allclose(made(x), function(x), rtol=1e-13)
        assert pb.gradcheck(made, x)
