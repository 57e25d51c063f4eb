"""Python's functions of sequences whose elements only the run knows."""

import functools
import itertools
import operator

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

X = np.array([0.3, -0.7, 1.2, 0.5])
ROWS = np.arange(6.0).reshape(3, 2) - 2.5


def extremes(x):
    return max(x) * min(v * v for v in x) - max([v * 2 for v in x])


def checked(x):
    if any(v > 1 for v in x) and not all(v > 0 for v in x):
        return x * x
    return x


def in_order(x):
    down = sorted(x, reverse=True)
    return sum(k * v for k, v in enumerate(sorted(v * v for v in x))) + down[0] * down[1]


def sums(x):
    return sum(x) * sum(v for v in x if v > 0) + sum(filter(lambda v: v < 1, x))


def reduced(x):
    product = functools.reduce(operator.mul, x)
    return product + functools.reduce(lambda total, v: total * 0.5 + v, x, 1.0) * x


def running(x):
    return np.array(list(itertools.accumulate(x))) ** 2


def by_keys(x):
    nearest = min(x, key=lambda v: (v - 0.45) ** 2)
    low, *_ = sorted([x[0] * 2, x[1], x[2] - 1.0], key=lambda v: -v * v)
    rows = np.outer(x, x + 1)
    return nearest * x + low * max(rows, key=np.sum) + sorted(rows, key=lambda row: row[0])[1]


def from_a_start(x):
    return sum(x, 10.0) * sum([x * k for k in range(3)], np.ones(4)) + sum(
        map(lambda a, b: a * b, x, x[::-1])
    )


@pytest.mark.compiler
@pytest.mark.parametrize(
    "function",
    sampled([extremes, checked, in_order, sums, reduced, running, by_keys, from_a_start], 2),
)
def test_they_are_what_python_computes(function):
    for made, order in ((pb.derive_pullback(function), 2), (pb.compile(function), 1)):
        np.testing.assert_allclose(made(X), function(X), rtol=1e-14)
        assert pb.gradcheck(made, X, order=order)


def test_the_sum_of_an_array_is_that_of_its_rows():
    @pb.derive_pullback
    def rows(x):
        return sum(x) ** 2

    np.testing.assert_allclose(rows(ROWS), sum(ROWS) ** 2)
    assert pb.gradcheck(rows, ROWS)


def stacked(x):
    parts = [x[0], x[1], x[2]]
    parts.insert(1, x[3])
    last, first = parts.pop(), parts.pop(0)
    parts.extend([last * first, parts[0]])
    for v in x:
        parts.extend([v * parts[-1], parts[-2]])
    return np.array(parts)


def test_a_list_changes_at_places_that_are_known(engine):
    derived = pb.derive_pullback(stacked)
    np.testing.assert_allclose(derived(X), stacked(X), rtol=1e-14)
    assert pb.gradcheck(derived, X)


def test_a_list_does_not_shrink_in_a_branch():
    @pb.derive_pullback
    def popped(x):
        parts = [x, x * 2]
        if x[0] > 0:
            parts.pop()
        return sum(parts)

    with pytest.raises(pb.FormulaError, match="in a way, or at a place, that only the run knows"):
        popped(X)
