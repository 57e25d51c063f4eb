"""``isinstance``, of attributes as the formula runs and of everything else as it is read."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

X = np.arange(6.0).reshape(2, 3) - 2.5


def averaged(x, *, axis=None):
    if isinstance(axis, int):
        axis = (axis,)
    count = x.size
    if axis is not None:
        count = 1
        for each in axis:
            count = count * x.shape[each]
    return np.sum(x * x, axis=axis) / count


def reduced(x, *, axis=None):
    return np.sum(x, axis=axis, keepdims=True) * (2 if isinstance(axis, (tuple, list)) else 3) * x


def of_what_is_read(x):
    pair, parts = (x, x * 2), [x]
    if isinstance(x, list) or not isinstance(x, np.ndarray) or not isinstance(pair, tuple):
        return x
    return pair[1] * x if isinstance(parts, list) and isinstance(2.0, (int, float)) else x


@pytest.mark.parametrize("axis", sampled([None, 0, -1, (0, 1)], 2))
@pytest.mark.parametrize("function", [averaged, reduced])
def test_of_an_attribute(function, axis):
    for made in (pb.derive_pullback(function), pb.compile(function)):
        np.testing.assert_allclose(made(X, axis=axis), function(X, axis=axis))
        pb.gradcheck(lambda x, made=made: made(x, axis=axis), pb.tensor(X, requires_grad=True), order=2)


def test_of_what_reading_knows():
    made = pb.derive_pullback(of_what_is_read)
    np.testing.assert_array_equal(made(X), of_what_is_read(X))
