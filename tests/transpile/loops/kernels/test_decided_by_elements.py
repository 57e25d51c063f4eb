"""Numbers, lengths and shapes that elements of an array decide, and that a backward reads."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

pytestmark = pytest.mark.compiler
X = np.array([0.3, -0.7, 1.2, 0.5])


def chosen(x):
    return x**2 * (3 if x[0] > 0 else 0)


def assigned(x):
    v, k, p = x * 10, 0, 2
    if np.abs(v[0]) > 1:
        v = v / 2
        k, p = 3, 3
        if x[1] < 0:
            k = 4
    k = 2 * k + 1
    return v**p * k


def place(x):
    i = 0
    if x[2] > 0:
        i = 2
    return x[i] ** 2 * x + np.sum(x[i:] ** 2)


def counted(x):
    v, k = x[0] * 10, 0
    while abs(v) > 1 and k < 10:
        v = v / 2
        k += 1
    return v * k


def counted_in_a_loop(x):
    k = 1
    for v in x:
        if v > 0:
            k = k * 2
    w = 2 * k + 1
    return x**2 * w


def diagonals(x):
    k = 1
    if x[0] > 0:
        k = -1
    square = np.diag(x, k)
    return np.triu(square, k) + np.diagonal(square, k).sum()


def cut(x):
    y = x * 2
    if x[0] > 0:
        y = y[:3]
    return np.mean(y) * x[0] * len(y)


def grown(x):
    y = x[:2]
    for v in x:
        if v > 0:
            y = np.concatenate([y, y])
    return np.sum(y) / y.size


@pytest.mark.parametrize(
    "function",
    sampled([chosen, assigned, place, counted, counted_in_a_loop, diagonals, cut, grown], 2),
)
def test_the_gradient_is_that_of_what_the_run_has_chosen(engine, function):
    compiled = pb.compile(function, order=1)
    for x in (X, -X, 4 * X[::-1]):
        np.testing.assert_allclose(compiled(x), function(x), rtol=1e-14)
        assert pb.gradcheck(compiled, x, order=1)
