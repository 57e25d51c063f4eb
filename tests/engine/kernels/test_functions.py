"""Functions of one element: within 4 ulp of NumPy's in float64, and the same at special values."""

import numpy as np
import pytest
from scipy import special

import pullback as pb

pytestmark = pytest.mark.compiler

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -3.0, 1e-310, -1e-310, 1e-40, 1e-8]
LARGE = [88.0, 89.0, -104.0, 710.0, -746.0, 1e5, 1e22, 1e300, -1e300]
ULP = 4


def unary(x):
    return (
        np.exp(x), np.expm1(x), np.log(x), np.log1p(x), np.sqrt(x), np.sin(x), np.cos(x), np.tan(x),
        np.tanh(x), np.sinh(x), np.cosh(x), np.arctan(x), special.erf(x), np.round(x), np.floor(x),
        np.sign(x), np.abs(x),
    )  # fmt: skip


def binary(x, y):
    return x**y, np.arctan2(x, y), np.maximum(x, y), np.minimum(x, y), x % y, x // y


@pytest.fixture(scope="module")
def compiled():
    return pb.compile(unary, order=0), pb.compile(binary, order=0)


def agrees(found, exact):
    with np.errstate(all="ignore"):
        expected = exact.astype(found.dtype)
        distance = np.abs(found.astype(np.float64) - exact) / np.spacing(np.abs(expected))
        same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    return np.where(same, 0, distance).max() <= ULP


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_one_number(dtype, compiled):
    rng = np.random.default_rng(0)
    drawn = [rng.uniform(-5, 5, 3000), rng.uniform(-100, 100, 500), np.exp(rng.uniform(-30, 30, 500))]
    with np.errstate(all="ignore"):
        x = np.concatenate([SPECIAL, LARGE, *drawn]).astype(dtype)
        expected = unary(x.astype(np.float64))
    for position, (one, other) in enumerate(zip(compiled[0](x), expected, strict=True)):
        assert agrees(one, other), position


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_two_numbers(dtype, compiled):
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        values = np.concatenate([SPECIAL, LARGE, rng.uniform(-4, 4, 60)]).astype(dtype)
        x, y = (side.ravel().copy() for side in np.meshgrid(values, values))
        expected = binary(x.astype(np.float64), y.astype(np.float64))
    for position, (one, other) in enumerate(zip(compiled[1](x, y), expected, strict=True)):
        assert agrees(one, other), position
