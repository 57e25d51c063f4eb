"""Loops over products, combinations and neighbours of sequences."""

import itertools
from itertools import combinations, pairwise

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, -0.7, 1.2, 0.5])


def of_numbers(x):
    total = 0.0
    for i, j in itertools.product(range(len(x)), range(2)):
        if i == j:
            continue
        total += x[i] * x[j] ** 2
    return total


def repeated(x):
    return sum(x[i] * np.sin(x[j]) for i, j in itertools.product(range(len(x)), repeat=2))


def of_values(x):
    total = 0.0
    for a, b in itertools.product(x, x * 2):
        total = total + np.sin(a * b)
    return total


def left_early(x):
    for a, b in itertools.product(x, x):
        if a * b < -0.5:
            return a * b * x
    return x


def pairs(x):
    return sum((a - b) ** 2 for a, b in combinations(x, 2)) + sum(a * b**2 for a, b in pairwise(x))


def under_one_name(x):
    total = 0.0
    for pair in itertools.combinations_with_replacement(range(3), 2):
        total = total + x[pair[0]] * x[pair[1]] ** 2
    return total


def triples(x):
    total = 0.0
    for i, j, k in combinations(range(len(x)), 3):
        total += x[i] * x[j] ** 2 * x[k] ** 3
    return total


def permuted(x):
    return sum(x[i] / (1 + x[j] ** 2) for i, j in itertools.permutations(range(len(x)), 2))


def until_far(x):
    total = 0.0
    for a, b in pairwise(x):
        if abs(b - a) > 1.5:
            break
        total += a * b
    return total


@pytest.mark.parametrize(
    "function",
    [of_numbers, repeated, of_values, left_early, pairs, under_one_name, triples, permuted, until_far],
)
def test_they_meet_what_itertools_gives(engine, function):
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(X), function(X), rtol=1e-14)
    assert pb.gradcheck(derived, X)


def test_a_break_out_of_two_loops_is_refused():
    @pb.derive_pullback
    def stopped(x):
        total = 0.0
        for a, b in itertools.product(x, x):
            if a * b > 1.0:
                break
            total = total + a * b
        return total

    with pytest.raises(pb.FormulaError, match="`break` out of a loop over several sequences") as refused:
        stopped(X)
    assert refused.value.diagnostics[0].span.column == 17
