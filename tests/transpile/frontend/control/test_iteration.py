"""Loops over `zip` and `enumerate`, and Python's searches of lists."""

import numpy as np
import pytest

import pullback as pb

X, Y = np.array([0.3, -0.7, 1.2]), np.array([0.4, 0.9, -0.2])


def pairs_under_one_name(x, y):
    total = 0.0
    for pair in zip(x, y, strict=False):
        a, b = pair
        total += a * b * pair[0]
    for item in enumerate(x):
        total += item[0] * item[1] ** 2
    return total


def columns(x, y):
    rows = [[x[0], y[1]], [x[1], 2.0], [x[2] * y[0], y[1]]]
    return np.array([sum(column) for column in zip(*rows, strict=True)])


def or_a_default(x, y):
    none = max([v for v in x if v > 50], default=1.5) + max([], default=y[0])
    return none * min([v * v for v in x if v > 0], default=0.0) * max([x[0], y[0]], default=3.0)


def places(x, y):
    squares = [v * v for v in x]
    k = squares.index(max(squares))
    return x[k] * k * y[["a", "b"].index("b")] * [3, 5, 7].index(7)


def whatever_happens(x, y):
    total = 0.0
    for v in x:
        try:
            total += v * y
        finally:
            total = total * 1.5
    return total


@pytest.mark.parametrize("function", [pairs_under_one_name, columns, or_a_default, places, whatever_happens])
def test_values_and_derivatives_are_those_of_python(function):
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(X, Y), function(X, Y), rtol=1e-13)
    assert pb.gradcheck(derived, X, Y, order=2)


def absent(x):
    return x * [v for v in x].index(5.0)  # noqa: C416  # what is tested


def test_what_is_in_no_list_has_no_place():
    with pytest.raises(ValueError, match="not in the list"):
        pb.derive_pullback(absent)(X)
