"""Functions of `math` that give integers for integers: those of Python, or the formula's Python runs."""

import math

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler


def counted(x):
    n = len(x)
    out = np.zeros(9)
    for i in range(n + 1):
        out[0] += math.comb(n, i) * x[i - 1] ** i
        out[1] += math.perm(n, i) * x[i - 1]
        out[2] += math.factorial(i) * x[i - 1]
        out[3] += math.gcd(12 * n, 8 * i) * x[i - 1]
        out[4] += math.lcm(n, 2 * i) * x[i - 1]
        out[5] += math.isqrt(7 * n + i) * x[i - 1]
        out[6] += x[math.comb(i, 2) % n]
    out[7] = math.comb(64, n) * math.gcd(-6, -n) * math.lcm(-4, n)
    out[8] = math.isqrt(n * n * (2**31 // n) ** 2 - 1)
    return out


def test_they_are_those_of_python():
    compiled = pb.compile(counted)
    for n in (1, 4, 11):
        x = np.linspace(0.5, 1.5, n)
        np.testing.assert_array_equal(compiled(x), counted(x))
    assert not compiled.limits()
    assert pb.gradcheck(compiled, np.linspace(0.5, 1.5, 3), order=2)


def large_factorial(x):
    return x * math.factorial(25 * len(x))


def large_permutations(x):
    return x * math.perm(40 * len(x), 20)


def large_combinations(x):
    return x * math.comb(80 * len(x), 40)


@pytest.mark.parametrize("function", [large_factorial, large_permutations, large_combinations])
def test_one_of_more_than_64_bits_is_left_to_python(function):
    x = np.array([1.5])
    np.testing.assert_array_equal(pb.compile(function)(x), function(x))


def test_closures_that_count_have_every_derivative():
    @pb.formula
    def pairs(x):
        def pairs_pullback(grad):
            return 2 * math.comb(len(x), 2) * x * grad

        return math.comb(len(x), 2) * x**2, pairs_pullback

    assert pb.gradcheck(pairs, np.linspace(0.5, 1.5, 4), order=3)
