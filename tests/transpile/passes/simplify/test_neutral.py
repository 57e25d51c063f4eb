"""Neutral operations change dtypes of whole numbers and bools, so that only floats lose them."""

import numpy as np
import pytest

import pullback as pb


@pb.formula
def times_one(x):
    return x * 1, lambda grad: grad


@pb.formula
def minus_zero(x):
    return x - 0.0, lambda grad: grad


@pb.formula
def by_one(x):
    return x / 1, lambda grad: grad


@pb.formula
def to_one(x):
    return x**1, lambda grad: grad


FORMULAS = [times_one, minus_zero, by_one, to_one]
VALUES = {"int": [1, 2], "bool": [True, False], "float": [1.5, 2.5]}


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", VALUES)
def test_the_dtype_is_that_of_numpy(formula, kind):
    x = np.array(VALUES[kind])
    np.testing.assert_array_equal(formula(x), formula.__wrapped__(x)[0], strict=True)


@pytest.mark.compiler
@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", VALUES)
def test_the_dtype_is_that_of_numpy_in_a_kernel(formula, kind):
    x = np.array(VALUES[kind])
    np.testing.assert_array_equal(pb.compile(formula)(x), formula.__wrapped__(x)[0], strict=True)
