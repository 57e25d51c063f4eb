"""Loops over the positions of an array."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError


def by_two(x):
    total = 0.0
    for i, j in np.ndindex(x.shape):
        total += x[i, j] * (3 * i + j)
    return total


def by_numbers(x):
    y = np.zeros((2, 3))
    for i, j in np.ndindex(2, 3):
        if i == j:
            continue
        y[i, j] = x[i, j] ** 2
    return y


def enumerated(x):
    total = 0.0
    for (i, j), v in np.ndenumerate(x * 2):
        for (k,), w in np.ndenumerate(x[0]):
            total += v * w * (i + j * k)
    return total


def whole(x):
    total = 0.0
    for place in np.ndindex(x.shape):
        total += x[place]
    return total


def paired(x):
    total = 0.0
    for place, v in np.ndenumerate(x):
        total += v * place[0]
    return total


@pytest.mark.parametrize("function", [by_two, by_numbers, enumerated])
def test_it_goes_through_all_positions_in_order(engine, function):
    x = np.arange(6.0).reshape(2, 3) - 1.5
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(x), function(x))
    assert pb.gradcheck(derived, x, order=2)


def test_another_number_of_axes_raises():
    with pytest.raises(ValueError, match="expected 2 values to unpack, got 3"):
        pb.derive_pullback(by_two)(np.ones((2, 2, 2)))


@pytest.mark.parametrize("function", [whole, paired])
def test_a_position_under_one_name_is_refused(function):
    with pytest.raises(FormulaError, match="loop over positions") as refused:
        _ = pb.derive_pullback(function).operator
    assert refused.value.diagnostics[0].code == "PB402"
