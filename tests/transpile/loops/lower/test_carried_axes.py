"""Values that a loop carries and whose number of axes changes: arrays from the beginning."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler
RNG = np.random.default_rng(0)
C, X = RNG.uniform(0.5, 1.5, 4), RNG.uniform(0.1, 0.9, 3)


def horner(coefficients, x):
    result = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        result = coefficients[k] + x * result
    return result


def rates(first, speed):
    found, r = [first], first
    for s in speed:
        r = r + s * (0.5 - r)
        found.append(r)
    found = np.array(found)
    return found * np.exp(-np.sum(found[:-1]))


def follower(x):
    level, out = 0.0, np.zeros(len(x))
    for i, value in enumerate(np.abs(x)):
        level = level + np.where(value > level, 0.6, 0.2) * (value - level)
        out[i] = level
    return out


CASES = {
    "horner": (horner, (C, X)),
    "rates": (rates, (np.float64(0.3), X)),
    "follower": (follower, (C - 1,)),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_two_derivatives(name):
    function, given = CASES[name]
    compiled = pb.compile(function)
    for found, wanted in zip(np.atleast_1d(compiled(*given)), np.atleast_1d(function(*given)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert pb.gradcheck(compiled, *given, order=2)
    assert not compiled.limits()
