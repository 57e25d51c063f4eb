"""SciPy's special functions in kernels: the reference engine's results, edge cases too."""

import re
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp
from scipy import special
from scipy.special import cython_special

import pullback as pb
from pullback import primitives
from pullback.engine.kernels import exported
from pullback.engine.kernels import special as table
from pullback.engine.kernels.compiler import INCLUDE

pytestmark = pytest.mark.compiler

POINTS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, -0.5, 1.5, 5.25, -2.7, 1e-310, 1e-8]
WIDE = [30.0, 170.0, 172.5, 750.0, -750.0, 1e5, 1e9, 1e300, -1e300]


def unary(x):
    return (
        special.erfcx(x), special.erfi(x), special.erfinv(x), special.erfcinv(x), special.dawsn(x),
        special.log_ndtr(x), special.ndtri(x), special.expi(x), special.exp1(x),
        special.gammaln(x), special.loggamma(x), special.gamma(x), special.rgamma(x), special.digamma(x),
        special.j0(x), special.j1(x), special.y0(x), special.y1(x),
        special.k0(x), special.k0e(x), special.k1(x), special.k1e(x),
        primitives.bessel_i(x, order=3), primitives.bessel_j(x, order=3),
    )  # fmt: skip


def by_series(x):
    return (
        special.ndtr(x), special.i0(x), special.i0e(x), special.i1(x), special.i1e(x),
        primitives.bessel_i(x, order=2), primitives.polygamma(x, n=1),
    )  # fmt: skip


def binary(x, y):
    return special.beta(x, y), special.betaln(x, y), special.rel_entr(x, y), special.kl_div(x, y)


def polygamma(x, *, n):
    return primitives.polygamma(x, n=n)


def derivative_of_sinc(x, *, n):
    return primitives.sinc_derivative(x, n=n)


def sinc(x):
    return np.sinc(x)


def product(x):
    return special.digamma(x) * special.gammaln(x)


def sum_of_both(x):
    return special.digamma(x) + special.gammaln(x)


@pytest.fixture(scope="module")
def compiled():
    return pb.compile(unary, order=0), pb.compile(binary, order=0)


def agree(found, expected, dtype, rtol=1e-15):
    tolerance = {"rtol": 2e-6 if dtype == np.float32 else rtol, "atol": 0}
    for position, (one, other) in enumerate(zip(found, expected, strict=True)):
        with np.errstate(all="ignore"):
            other = other.astype(dtype)
        assert one.dtype == dtype
        np.testing.assert_allclose(one, other, err_msg=str(position), **tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_one_number_are_scipys(dtype, compiled):
    drawn = np.random.default_rng(0).uniform(-8, 8, 300)
    with np.errstate(all="ignore"):
        x = np.concatenate([POINTS, WIDE, drawn]).astype(dtype)
        agree(compiled[0](x), unary(x.astype(np.float64)), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_loops_compute_by_series_is_scipys(dtype):
    drawn = np.random.default_rng(1).uniform(-40, 40, 1000)
    with np.errstate(all="ignore"):
        x = np.concatenate([POINTS, WIDE, [23.999, 24.0, -24.001, 700.0, -700.0], drawn]).astype(dtype)
        found, expected = pb.compile(by_series, order=0)(x), by_series(x.astype(np.float64))
        agree(found[1:], expected[1:], dtype, rtol=1e-14)
        # Far out the rounding of x counts, and the result is subnormal.
        rtol, least = (1e-13, 1e-300) if dtype == np.float64 else (2e-6, 1e-37)
        np.testing.assert_allclose(found[0], expected[0], rtol=rtol, atol=least)


def test_series_are_right_to_a_few_units_in_the_last_place():
    x = np.random.default_rng(2).uniform(0.01, 60, 200)
    exact = [
        [mp.ncdf(-each) for each in x],
        [mp.besseli(0, each) for each in x],
        [mp.besseli(0, each) * mp.exp(-each) for each in x],
        [mp.besseli(1, each) for each in x],
        [mp.besseli(1, each) * mp.exp(-each) for each in x],
        [mp.besseli(2, each) for each in x],
        [mp.polygamma(1, each) for each in x],
    ]
    function = pb.compile(by_series, order=0)
    found = [function(-x)[0], *function(x)[1:]]
    for k, (one, other) in enumerate(zip(found, exact, strict=True)):
        rtol, least = (4e-15, 0) if k > 0 else (1e-12, 1e-300)  # far out the rounding of x counts
        np.testing.assert_allclose(one, np.array(other, np.float64), rtol=rtol, atol=least, err_msg=str(k))


def floats(x):
    return (
        special.gammaln(x), special.loggamma(x), special.digamma(x),
        special.erfinv(x), special.erfcinv(x), special.ndtri(x), special.erfcx(x), special.log_ndtr(x),
        special.i0(x), special.i0e(x), special.i1(x), special.i1e(x),
    )  # fmt: skip


def test_series_of_floats_are_right_to_two_units_in_the_last_place():
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**32, 50_000, np.uint32).view(np.float32)
    near = [np.nextafter(np.float32(c), np.float32(d)) for c in (0, 1, 2, -1, -24) for d in (-99, 99)]
    edges = [*POINTS, *WIDE, 1.4616321, -2.4570247, 1e30, 4e36, 4.1e36, 3.4e38, 0.99999994, -24.001, -1e-45]
    uniform = [rng.uniform(-bound, bound, 20_000) for bound in (1, 3, 40)]
    with np.errstate(all="ignore"):
        x = np.concatenate([bits, near, edges, *uniform]).astype(np.float32)
        found, expected = pb.compile(floats, order=0)(x), floats(x.astype(np.float64))
        for k, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert one.dtype == np.float32
            np.testing.assert_allclose(one, other.astype(np.float32), rtol=3e-7, atol=1e-45, err_msg=str(k))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_two_numbers_are_scipys(dtype, compiled):
    with np.errstate(all="ignore"):
        values = np.asarray(POINTS, dtype)
        x, y = (side.ravel().copy() for side in np.meshgrid(values, values))
        agree(compiled[1](x, y), binary(x.astype(np.float64), y.astype(np.float64)), dtype)


def test_betaln_of_floats_is_right_to_three_units_in_the_last_place():
    rng = np.random.default_rng(4)
    sizes = np.exp(rng.uniform(-80, 80, (2, 1500))), rng.uniform(0, 20, (2, 1500))
    near = rng.uniform(0.9, 1.1, (2, 500))
    a, b = np.concatenate([*sizes, near, [[1, 1, 1, 7.99, 8], [1, 3, 1e-30, 8, 8]]], axis=1).astype(
        np.float32
    )
    with mp.workdps(120):
        pairs = [(mp.mpf(float(one)), mp.mpf(float(other))) for one, other in zip(a, b, strict=True)]
        exact = [
            float(mp.loggamma(one) + mp.loggamma(other) - mp.loggamma(one + other)) for one, other in pairs
        ]
    found = pb.compile(binary, order=0)(a, b)[1]
    np.testing.assert_allclose(found, np.array(exact, np.float32), rtol=4e-7)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_polygamma(n):
    function = pb.compile(polygamma, order=0)
    x = np.array([1e-3, 0.25, 1.0, 3.5, 9.999, 40.0, 1e4, 1e12, -0.5, -3.25, -20.125])
    exact = [float(mp.polygamma(n, mp.mpf(float(one)))) for one in x]
    np.testing.assert_allclose(function(x, n=n), exact, rtol=1e-13)
    edges = np.array([0.0, -0.0, -1.0, -7.0, np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(function(edges, n=n), special.polygamma(n, edges))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_polygamma_far_below_zero_takes_no_longer(n):
    x = np.array([-1.75, -30.25, -1e9 + 0.25, -(2.0**50) - 0.25])
    # The function there and its reflection differ by what has this as its n-th derivative (DLMF 5.15.6).
    cotangent = [mp.diff(lambda t: -mp.pi * mp.cot(mp.pi * t), mp.frac(mp.mpf(one)), n) for one in x]
    with mp.workdps(40):
        reflected = [(-1) ** n * mp.polygamma(n, 1 - mp.mpf(one)) for one in x]
    exact = [float(one + other) for one, other in zip(cotangent, reflected, strict=True)]
    np.testing.assert_allclose(pb.compile(polygamma, order=0)(x, n=n), exact, rtol=1e-12)


def test_polygamma_of_a_huge_number_does_not_vanish():
    x = np.array([1e200, 1e300])
    np.testing.assert_allclose(pb.compile(polygamma, order=0)(x, n=1), 1 / x, rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sinc(dtype):
    x = np.concatenate([[0.0, -0.0, np.nan, np.inf, 1e-30, 3.0], np.linspace(-6.3, 6.3, 64)]).astype(dtype)
    with np.errstate(all="ignore"):
        expected = np.sinc(x)
    np.testing.assert_allclose(pb.compile(sinc, order=0)(x), expected, rtol=0, atol=2 * np.finfo(dtype).eps)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
def test_derivatives_of_sinc(n):
    function = pb.compile(derivative_of_sinc, order=0)
    x = np.concatenate([[0.0, -0.0, 1e-9, np.nan], np.linspace(-6.3, 6.3, 64)])
    with np.errstate(all="ignore"):
        expected = primitives.sinc_derivative(x, n=n)
    np.testing.assert_allclose(function(x, n=n), expected, rtol=1e-12, atol=1e-12 * np.pi**n)


def test_both_sides_of_the_table_have_the_same_names():
    header = (Path(INCLUDE) / "pullback" / "kernel/math/special.h").read_text(encoding="utf-8")
    lists = dict(re.findall(r"#define (PB_SPECIAL_\w+)\(X\)((?:[^\n]*\\\n)*[^\n]*)", header))
    names = {key: re.findall(r"X\((\w+)\)", text) for key, text in lists.items()}
    names["PB_SPECIAL_UNARY"] = [*names["PB_SPECIAL_IN_SERIES"], *names["PB_SPECIAL_OF_SCIPY"]]
    struct = header.split("typedef struct {")[1].split("} pb_special_functions")[0]
    found = []
    for macro, field, own in re.findall(r"(PB_SPECIAL_\w+)\((PB_FIELD_\w+)\)|\(\*(\w+)\)", struct):
        suffix = "_whole" if "WHOLE" in field else ""
        found += [own] if own else [name + suffix for name in names[macro]]
    assert found == list(table.FUNCTIONS)


def test_a_scipy_that_exports_less_leaves_the_reference_formula(monkeypatch):
    x = np.array([0.5, 1.5, 2.5])
    with monkeypatch.context() as patched:
        patched.setitem(exported._TABLES, "pb_special", lambda: None)
        np.testing.assert_array_equal(pb.compile(product, order=0)(x), product(x))
    # Which comes after it, since libraries may share the table.
    np.testing.assert_allclose(pb.compile(sum_of_both, order=0)(x), sum_of_both(x), rtol=1e-15)


def test_functions_of_other_signatures_are_not_taken():
    found = cython_special.__pyx_capi__
    assert table._address(found, "erfcx", "double")
    assert table._address(found, "erfcx", "float") is None
    assert table._address(found, "nothing", "double") is None
