"""Searches of sorted vectors in kernels find the places that NumPy's do, and what is made of them."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler


def places(a, v):
    left, right = np.searchsorted(a, v), np.searchsorted(a, v, side="right")
    return left * 1.0, right * 1.0, np.searchsorted(a, 0.1, "right") * v, np.searchsorted([1, 2, 3], v) * v


def between(x, xs, ys):
    return np.interp(x, xs, ys) * x


@np.errstate(invalid="ignore")  # no entry times infinity
@pytest.mark.parametrize("of", [np.float32, np.float64])
@pytest.mark.parametrize("within", [np.float32, np.float64, np.int64])
def test_places_are_numpys(within, of):
    rng = np.random.default_rng(2)
    a = np.sort(np.concatenate([rng.integers(-9, 9, 30), rng.normal(0, 9, 30), [0.1]])).astype(within)
    v = np.concatenate([rng.normal(0, 9, 50), a, [np.nan, np.inf, -np.inf, 0.0, -0.0]]).astype(of)
    a = np.append(a, np.nan) if within != np.int64 else a
    compiled = pb.compile(places, order=0)
    columns = v[: v.size // 4 * 4].reshape(4, -1).T
    for sorted_ones, values in [(a, v), (a[:0], v), (a[::2], columns), (a, v[3])]:
        for found, expected in zip(compiled(sorted_ones, values), places(sorted_ones, values), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_of_a_matrix_it_is_an_error():
    with pytest.raises(ValueError, match="object too deep"):
        pb.compile(places, order=0)(np.ones((2, 2)), np.ones(3))


def test_interpolation_has_two_derivatives():
    rng = np.random.default_rng(3)
    xs = np.cumsum(rng.uniform(0.5, 1.5, 6))
    assert pb.gradcheck(pb.compile(between), rng.uniform(xs[0], xs[-1], 5), xs, rng.normal(size=6))
