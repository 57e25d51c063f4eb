"""Passes over many short rows: where rows repeat, follow each other or do not."""

import numpy as np
import pytest

import pullback as pb


def between(x, y, weight):
    """Steps between points, and their squares added up along each axis; every operand repeats along one."""
    steps = (np.expand_dims(x, 1) - np.expand_dims(y, 0)) * weight
    squares = steps * steps
    r = (
        steps,
        np.max(steps, axis=-1),
        np.sum(squares, axis=-1),
        np.sum(squares, axis=1),
        np.sum(squares, axis=0),
    )

    return r


compiled = pb.compile(between, order=0)
VIEWS = {
    "as they are": lambda x: x,
    "backwards": lambda x: x[::-1],
    "across": lambda x: np.asfortranarray(x),
    "one point": lambda x: np.broadcast_to(x[:1], x.shape),
}
SHAPES = [(3, 50, 4), (40, 1000, 4), (5, 1025, 3), (2, 3001, 2), (4, 600, 7)]
# Totals are double: of doubles, a lane's rounding shows.
ROUNDING = {np.float32: 2 * np.finfo(np.float32).eps, np.float64: 64 * np.finfo(np.float64).eps}


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_many_short_rows(shape, view, dtype):
    rng = np.random.default_rng(shape)
    n, m, d = shape
    x, y, weight = (rng.uniform(-1, 1, own).astype(dtype) for own in ((n, d), (m, d), (d,)))
    x, y = view(x), view(y)
    steps, largest, *sums = compiled(x, y, weight)
    expected, expected_largest, *_ = between(x, y, weight)
    np.testing.assert_array_equal(steps, expected)
    np.testing.assert_array_equal(largest, expected_largest)
    for total, axis in zip(sums, (-1, 1, 0), strict=True):
        exact = np.sum(expected * expected, axis=axis, dtype=np.longdouble)
        assert total.dtype == dtype
        np.testing.assert_allclose(total, exact, rtol=ROUNDING[dtype], atol=0)
