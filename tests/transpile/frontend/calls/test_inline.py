"""Functions that call themselves, as often as known numbers and lengths say; imports in functions."""

from functools import partial

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, -0.7])


def power(x):
    def of(v, n):
        if n == 0:
            return 1.0
        half = of(v, n // 2)
        return half * half * v if n % 2 else half * half

    return of(x, 13)


def legendre(x):
    def of(n, t):
        if n == 0:
            return 1.0 + 0 * t
        if n == 1:
            return t
        return ((2 * n - 1) * t * of(n - 1, t) - (n - 1) * of(n - 2, t)) / n

    return of(4, x)


def by_halves(x):
    def product(xs):
        if len(xs) == 1:
            return xs[0]
        middle = len(xs) // 2
        return product(xs[:middle]) * product(xs[middle:])

    return product([x[0], x[1], x[0] + 1.0, np.sin(x[1])])


def with_imports(x):
    import math
    from functools import reduce
    from itertools import product

    def squashed(v):
        from numpy import tanh

        return tanh(v)

    total = 0.0
    for i, j in product(range(2), range(2)):
        total = total + x[i] * x[j] * math.pi
    return total + reduce(lambda a, b: a * b, [x[0], x[1]]) + squashed(x)


def partly(x):
    def scaled(v, k, b=0.0):
        return np.sin(k * v) + b

    one, other, clipped = partial(scaled, k=2.0), partial(scaled, x, b=x[0]), partial(np.clip, a_max=0.5)
    return one(x) * other(3.0) + sum(map(partial(scaled, k=0.5, b=1.0), x)) * clipped(x, -0.5)


@pytest.mark.parametrize("function", [power, legendre, by_halves, with_imports, partly])
def test_values_and_derivatives_are_those_of_python(function):
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(X), function(X), rtol=1e-13)
    assert pb.gradcheck(derived, X, order=2)


def until_small(x):
    def halved(v):
        return v if np.sum(v) < 0.1 else halved(v * 0.5)

    return halved(x)


def never_ends(x):
    def deeper(v, n):
        return deeper(v, n + 1) * 2

    return deeper(x, 0)


@pytest.mark.parametrize(
    ("function", "message"), [(until_small, "`halved` calls itself"), (never_ends, "more than 24 deep")]
)
def test_a_depth_that_is_not_known_is_refused(function, message):
    with pytest.raises(pb.FormulaError, match=message):
        _ = pb.derive_pullback(function).operator
