"""Calls of compiled functions that came before go to their kernels without Python in between."""

from collections import Counter

import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels.compiled import CompiledFormula

pytestmark = [pytest.mark.native, pytest.mark.compiler]


def sum_of_product(a, b):
    return np.sum(np.exp(a) @ b)


def scaled_sum(x, *, axis: int = 0, keepdims: bool = False, scale: float = 1.0):
    return np.sum(x, axis=axis, keepdims=keepdims) * scale


def moved(x, *, axes: tuple[int, ...] = (0, 1)):
    return np.transpose(x, axes) * 2.0, np.sum(x)


KEYWORDS = [
    {"axis": 1},
    {"axis": 0},
    {"scale": 2.0},
    {"scale": -0.5, "axis": 1},
    {"scale": 3},
    {"keepdims": True},
]


@pytest.fixture
def looks(monkeypatch):
    """How often the Python of a compiled function was asked what a call of it comes to."""
    counts = Counter()
    call = CompiledFormula._call

    def counted(self, *args, **kwargs):
        counts["calls"] += 1
        return call(self, *args, **kwargs)

    monkeypatch.setattr(CompiledFormula, "_call", counted)
    return counts


@pytest.fixture(params=[np.asarray, pb.tensor], ids=["arrays", "tensors"])
def made(request):
    """Arrays, or tensors of the native engine."""
    with pb.use_engine("native"):
        yield request.param


def agree(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_by_dtypes_and_numbers_of_axes(dtype, made, looks):
    fast = pb.compile(sum_of_product)
    square, column = np.ones((2, 2), dtype), np.ones(2, dtype)
    for other in (square, column, square, column):
        result = fast(made(square), made(other))
        np.testing.assert_allclose(np.asarray(result), sum_of_product(square, other), rtol=1e-6)
        assert result.dtype == dtype
    assert looks["calls"] == 2  # a matrix, and a vector


def test_by_keywords(made, looks):
    fast, x = pb.compile(scaled_sum), np.arange(6.0).reshape(2, 3)
    for keywords in [*KEYWORDS, *KEYWORDS, {"scale": -7.0, "axis": 1}]:
        agree([fast(made(x), **keywords)], [scaled_sum(x, **keywords)])
    assert looks["calls"] == len(KEYWORDS)


def test_several_results_by_a_tuple_of_axes(made, looks):
    fast, x = pb.compile(moved), np.arange(6.0).reshape(2, 3)
    for axes in [(0, 1), (1, 0), (*reversed((0, 1)),), (0, 1)]:
        agree(fast(made(x), axes=axes), moved(x, axes=axes))
    assert looks["calls"] == 2


@pytest.mark.parametrize("values", [(True, 1), (1, 1.0), (0.0, -0.0)])
def test_equal_values_of_keywords_are_told_apart(values, made):
    def powers(x, *, k: float = 1.0):
        return np.copysign(x, k) * k

    fast, x = pb.compile(powers), np.ones(3, np.float32)
    for k in values * 2:
        result = np.asarray(fast(made(x), k=k))
        np.testing.assert_array_equal(result, powers(x, k=k))
        np.testing.assert_array_equal(np.signbit(result), np.signbit(powers(x, k=k)))


def test_gradients_of_remembered_calls():
    x = pb.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    fast = pb.compile(scaled_sum)
    for scale in (2.0, 5.0):
        (gradient,) = pb.grad(fast(x, axis=1, scale=scale).sum(), x)
        np.testing.assert_array_equal(gradient.numpy(), np.full((2, 3), scale))


@pytest.mark.parametrize("keyword", [{"axis": True}, {"axis": 1.0}, {"rows": 1}, {"x": np.ones(2)}])
def test_what_does_not_fit_raises_after_what_does(keyword, made):
    fast, x = pb.compile(scaled_sum), made(np.ones((2, 3)))
    fast(x, axis=1)
    with pytest.raises((TypeError, pb.FormulaError)):
        fast(x, **keyword)


def test_arrays_that_kernels_do_not_take_run_on_the_formula(looks):
    fast, x = pb.compile(scaled_sum), np.arange(6).reshape(2, 3)
    for dtype in (np.complex64, np.complex64, ">f4", ">f4", np.float16):
        np.testing.assert_array_equal(fast(x.astype(dtype)), scaled_sum(x.astype(dtype)))
    assert looks["calls"] == 4  # bytes of another order are looked at each time


def test_tensors_of_two_engines_are_refused_after_a_call_that_fits():
    fast, x = pb.compile(sum_of_product), np.ones((2, 2))
    with pb.use_engine("native"):
        native = pb.tensor(x)
    with pb.use_engine("reference"):
        reference = pb.tensor(x)
    fast(native, native)
    with pytest.raises(pb.errors.EngineMismatchError):
        fast(native, reference)


def test_the_tape_has_remembered_calls():
    fast, x = pb.compile(scaled_sum), pb.tensor(np.ones((2, 3)), requires_grad=True)
    fast(x, axis=1)
    with pb.tape() as tape:
        fast(x, axis=1)
    assert "scaled_sum" in str(tape)
