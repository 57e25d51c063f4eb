"""Python's functions of numbers of entries of arrays: ``math.sin(x[0])``, ``float(x[i])``."""

import math

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.frontend.calls.entries import FULL_NAMES

X = np.array([0.6, 0.35, 0.8])


def every_function(x):
    a, b = x[0], x[1]
    t = math.sqrt(a) + math.exp(a) * math.log(b) + math.sin(a) * math.cos(b) * math.tan(a)
    t += math.asin(a) + math.acos(a) * math.atan(b) + math.atan2(a, b) + math.sinh(a) * math.cosh(a)
    t += math.asinh(a) + math.acosh(1 + a) + math.atanh(b) + math.cbrt(a) + math.copysign(a, -b)
    t += math.erf(a) * math.erfc(b) + math.exp2(a) + math.fabs(-b) + math.fmod(a, b) + math.gamma(a)
    t += math.lgamma(b) + math.pow(a, b) + math.radians(a) * math.degrees(b) + math.log1p(a) * math.expm1(b)
    t += math.log2(a) + math.log10(b) + math.tanh(b) * math.hypot(a, b)
    if math.isnan(a) or math.isinf(a) or not math.isfinite(b):
        return 0.0 * t
    return t + math.log(a, 2) + math.log(3, b) + math.pow(2, a) + math.hypot(a, 1.0)


def of_every_entry(x):
    total = 0.0
    for i in range(len(x)):
        total += math.sin(float(x[i])) * float(np.sum(x))
    return total


def of_booleans(x):
    return math.exp(x[0] > 0.5) * x


def of_whole_numbers(x):
    return float((x > 0.4).sum()) * x / 3


@pytest.mark.parametrize("function", [every_function, of_every_entry, of_booleans, of_whole_numbers])
def test_values_and_two_derivatives_are_those_of_numpy(function):
    formula = pb.derive_pullback(function)
    np.testing.assert_allclose(formula(X), function(X), rtol=1e-14)
    assert pb.gradcheck(formula, X, order=2)


def test_each_is_tried():
    tried = {f"math.{name}" for name in every_function.__code__.co_names}
    assert FULL_NAMES.keys() <= tried


def of_an_array(x):
    return math.exp(x)


def of_a_row(x):
    return float(x[0]) * x


@pytest.mark.parametrize("function", [of_an_array, of_a_row])
def test_an_array_with_axes_is_no_number(function):
    with pytest.raises(TypeError, match="only 0-dimensional arrays"):
        pb.derive_pullback(function)(np.ones((2, 2)))
