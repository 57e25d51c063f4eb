"""Functions of Python's own numbers and tuples, of attributes: the same everywhere."""

import math

import numpy as np
import pytest

from tests.transpile.frontend.on_every_target import (
    assert_compiled,
    assert_derived,
    assert_in_jax,
    assert_in_pytorch,
)

X = np.array([0.25, -1.5])


def of_attributes(x, *, n: int = 3, scale: float = 0.75, weights: tuple[float, ...] = (1.0, -2.0)):
    first = 2.0 if any(w > 1.5 for w in weights) else 1.0
    second = 2.0 if all([n > 1, n < 9]) else 1.0
    power = 0.0
    for place, weight in enumerate(sorted(weights)):
        power = power * x + place * weight
    return (
        power,
        x * first * second * abs(n - 5) * abs(scale),
        x * max(weights) * min(weights) * min(n, 2) * max(n, 2, 1),
        x * sum(weights) * sum(weights[1:]) * sum(range(n)) * math.prod(weights),
        x * round(n / 2) * pow(n, 2) * int(n / 2) * divmod(n, 2)[0] * float(n),
        x * bool(n) * bool(n - 3) + x * bool(len(weights)),
        x * sorted(weights)[0] * sorted(weights, reverse=True)[0] * list(reversed(weights))[1],
        x * (scale in weights) + x * (n not in (1, 4)) + x * (2.0 in weights[:1]) * (x.size in x.shape),
        x * weights.index(max(weights)) + x.shape.index(2) + weights.count(1.0),
        x / np.prod(x.shape) + np.array(x.shape, dtype=float) * np.sum(x.shape),
        np.reshape(x, (1, np.prod(x.shape))) * len(x.shape),
        x * math.hypot(n, 2.0) * math.gcd(n, 6) * math.comb(n, 2) * math.factorial(n) * math.fsum(weights),
    )


GIVEN = [{}, {"n": 4, "scale": -1.5, "weights": (2.0, 0.5, 3.0)}]


@pytest.mark.parametrize("given", GIVEN, ids=["defaults", "others"])
def test_it_is_what_python_computes(given):
    assert_derived(of_attributes, X, given)


@pytest.mark.compiler
def test_it_is_compiled():
    assert_compiled(of_attributes, X, GIVEN)


@pytest.mark.torch
def test_it_is_computed_in_pytorch():
    assert_in_pytorch(of_attributes, X, GIVEN)


@pytest.mark.jax
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")  # of float64, which JAX has when asked for
def test_it_is_computed_in_jax():
    assert_in_jax(of_attributes, X, GIVEN)
