"""Functions that are texts in `formulas/` and asked NumPy for places before: in kernels they are NumPy's."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler


def of_places(x):
    return (
        np.pad(x, 2, "edge"), np.pad(x, ((1, 7), (0, 5)), "reflect"), np.pad(x, 6, "symmetric"),
        np.pad(x, (5, 9), "wrap"), np.delete(x, 1, axis=1), np.delete(x, -2), np.insert(x, -1, 7.0),
        np.insert(x, len(x), x[0], axis=0), np.unwrap(9 * x, axis=0), np.unwrap(9 * x, 5.0, period=6.0),
        x[np.diag_indices(3)], np.fix(2 * x),
    )  # fmt: skip


def of_values(x):
    near = np.where(np.isclose(x, 1.0), x, 2 * x) + np.where(np.isclose(2.0, x, 0.1, equal_nan=True), 1, x)
    infinite = np.where(np.isposinf(x), 1, 2 * np.isneginf(x))
    whole = (3 if np.allclose(x, x, equal_nan=True) else 4) + (5 if np.array_equal(x, x) else 6)
    return near, infinite * 1.0, whole * x, np.count_nonzero(x > 1, axis=0) * x, np.count_nonzero(x) * x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_are_numpys(dtype):
    x = np.random.default_rng(4).normal(0, 2, (3, 4)).astype(dtype)
    edges = np.array([1.0, 1 + 1e-7, np.nan, np.inf, -np.inf, 0.0, 2.1, -2.0], dtype)
    for function, given in [(of_places, x), (of_values, edges), (of_values, edges[:2])]:
        compiled = pb.compile(function, order=0)
        for found, expected in zip(compiled(given), function(given), strict=True):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


def test_an_empty_axis_is_not_read_on():
    with pytest.raises(ValueError, match="empty axis"):
        pb.compile(of_places, order=0)(np.ones((0, 4)))
