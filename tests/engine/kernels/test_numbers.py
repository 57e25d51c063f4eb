"""Python's numbers in kernels: what Python raises is raised, and no number wraps around."""

import math

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError

pytestmark = [pytest.mark.compiler, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


def one_of_many(x, *, which: float, s: float):
    r = 0.0
    if which == 0.0:
        r = 1 / s
    elif which == 1.0:
        r = 7.5 // s
    elif which == 2.0:
        r = 7.5 % s
    elif which == 3.0:
        r = s**-1
    elif which == 4.0:
        r = s**0.5
    elif which == 5.0:
        r = s**200
    elif which == 6.0:
        r = math.sqrt(s)
    elif which == 7.0:
        r = math.log(s)
    elif which == 8.0:
        r = math.exp(s)
    elif which == 9.0:
        r = int(s) + 0.5
    elif which == 10.0:
        r = round(s) + math.floor(s) + math.ceil(s) + 0.5
    elif which == 11.0:
        r = 100 // int(s) + 0.5
    elif which == 12.0:
        r = 100 % int(s) + 0.5
    elif which == 13.0:
        r = int(s) ** 5 + 0.5
    elif which == 14.0:
        r = int(s) * int(s) * 10**15 + 0.5
    elif which == 15.0:
        q, rest = divmod(s, 3.0)
        r = q + 10 * rest
    elif which == 16.0:
        r = (s > 0) + (s > 1) + 0.5
    elif which == 17.0:
        r = (7 // int(s) if s != 0 else 0) + 0.5
    elif which == 18.0:
        r = 1 / np.float64(s)
    elif which == 19.0:
        r = s // 1
    return x * r


def outcome(function, *args, **attributes):
    """A value, or the error's type."""
    try:
        return np.asarray(function(*args, **attributes))
    except Exception as error:
        return type(error)


def assert_alike(found, expected, what):
    if isinstance(found, type) or isinstance(expected, type):
        assert found is expected, (what, found, expected)
        return
    assert found.dtype == expected.dtype, what
    np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=str(what))


def test_numbers_are_those_of_python_and_so_are_its_errors():
    fast, x = pb.compile(one_of_many, order=0), np.array([1.0, 2.0])
    for which in range(20):
        for s in (2.5, 0.0, -0.0, -2.5, 1e4, 1e300, math.inf, -math.inf, math.nan):
            given = {"which": float(which), "s": s}
            expected = outcome(one_of_many, x, **given)
            assert_alike(outcome(fast, x, **given), expected, given)


def by_sizes(x, *, n: int):
    product, last = 1, 0
    for i in range(n):
        product *= i + 1
        last = 10 // (i - 30)
    return np.sum(x) / product + last + n // x.shape[0] + n % x.shape[0]


@pytest.mark.parametrize(("n", "length"), [(3, 4), (25, 4), (31, 4), (3, 0)])
def test_integers_of_loops_and_sizes(n, length):
    x = np.ones(length)
    assert_alike(outcome(pb.compile(by_sizes, order=0), x, n=n), outcome(by_sizes, x, n=n), (n, length))


def of_integers(x, a, b):
    return x * (a // b), x * (a % b)


def test_arrays_of_integers_are_divided_as_numpy_divides_them():
    least = np.iinfo(np.int64).min
    a = np.array([7, -7, 7, -7, 5, least, least, least, 0])
    b = np.array([2, 2, -2, -2, 0, -1, 3, 0, 0])
    x = np.ones(len(a))
    for one, other in zip(pb.compile(of_integers, order=0)(x, a, b), of_integers(x, a, b), strict=True):
        np.testing.assert_array_equal(one, other)


def of_numpy(x, *, s: float):
    wide = np.sin(s) + np.abs(s) + np.maximum(s, 1.0)
    return x * wide, x * math.sqrt(np.sqrt(s)), x * (+s), np.float64(1.0) * x * np.float32(s)


def test_functions_of_numpy_make_numbers_of_numpy_which_widen():
    x = np.ones(2, np.float32)
    for one, other in zip(pb.compile(of_numpy, order=0)(x, s=0.1), of_numpy(x, s=0.1), strict=True):
        assert_alike(one, other, "s=0.1")


def of_ufuncs(x, *, n: int, s: float):
    sums = np.add(2.0, 3) + np.add(s, n) + np.subtract(True, n) + np.negative(2.0)
    products = np.multiply(n, 2) * np.power(s, 2) * np.divide(n, 2) * np.power(2.0, -n)
    whole = np.floor_divide(n, 2) + np.mod(n, 2)
    return x * sums, x * products, x * whole, x * np.round(s), x[np.subtract(n, 2) :]


def test_ufuncs_of_numbers_that_python_writes_by_a_symbol_widen_too():
    x = np.ones(4, np.float32)
    expected = of_ufuncs(x, n=3, s=0.3)
    for way in (pb.derive_pullback(of_ufuncs), pb.compile(of_ufuncs, order=0)):
        for one, other in zip(way(x, n=3, s=0.3), expected, strict=True):
            assert_alike(one, other, way)


def to_decimals(x, *, s: float):
    return x * np.round(s, 1)


def test_a_number_rounded_to_decimals_is_no_integer():
    with pytest.raises(FormulaError, match="round of these values is not compiled"):
        pb.compile(to_decimals, order=0)(np.ones(2), s=0.26)


def knots(t, c):
    k = np.clip(np.floor(t * 7).astype(int), 0, len(c) - 4)
    return c[k] * t


def test_integers_are_clipped():
    t, c = np.array([-0.1, 0.2, 0.5, 0.99]), np.linspace(1, 2, 7)
    np.testing.assert_array_equal(pb.compile(pb.derive_pullback(knots))(t, c), knots(t, c))
