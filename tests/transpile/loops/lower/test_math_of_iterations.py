"""Functions of `math` of numbers that only the run knows: iterations, and sizes."""

import math

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler


def bernstein(x, *, degree: int = 5):
    return sum(
        math.comb(degree, k) * x**k * (1 - x) ** (degree - k) * math.gamma(k + 0.5) for k in range(degree + 1)
    )


def exponential(x, *, terms: int = 12):
    total = x * 0.0
    for k in range(terms):
        total = total + x**k / math.factorial(k)
    return total


def windowed(x):
    total = x * 0.0
    for k in range(len(x)):
        angle = math.atan2(k, len(x)) + math.asinh(k) / (1 + math.cbrt(k)) + math.acosh(k + 1)
        total = (
            total + x * math.hypot(k, angle) + math.exp2(-k) + math.atanh(1 / (k + 2)) - math.lgamma(k + 1)
        )
    return total


@pytest.mark.parametrize("formula", [bernstein, exponential, windowed])
def test_they_are_those_of_python(formula):
    x = np.linspace(0.1, 0.9, 4)
    fast = pb.compile(formula)
    np.testing.assert_allclose(fast(x), formula(x), rtol=1e-13)
    assert not fast.limits()
    assert pb.gradcheck(fast, x, order=2)


def test_a_factorial_of_more_than_64_bits_is_computed_in_python():
    x = np.linspace(0.5, 3.0, 4)
    fast = pb.compile(exponential)
    np.testing.assert_allclose(fast(x, terms=30), np.exp(x), rtol=1e-13)
    np.testing.assert_allclose(pb.func.grad(lambda x: pb.numpy.sum(fast(x, terms=30)))(x), np.exp(x))
