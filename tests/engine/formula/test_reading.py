"""Constants of a module: named tuples and frozen dataclasses of numbers."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb

Rates = namedtuple("Rates", "alpha beta")
RATES, SHAPE = Rates(1.5, 0.2), namedtuple("Shape", "rows columns")(2, 1)


@dataclass(frozen=True)
class Model:
    width: float = 0.4
    terms: int = 3
    kind: str = "series"


@dataclass
class Changing:
    width: float = 0.4


MODEL, CHANGING = Model(), Changing()
X = np.array([0.3, -0.9])


def of_a_named_tuple(x):
    def line(p, v):
        return p.alpha * v + p.beta

    low, high = RATES
    return RATES.alpha / (1 + np.exp(-RATES.beta * x)) * line(RATES, x) + low * high + RATES[1]


def of_a_frozen_dataclass(x):
    total = 0.0
    for k in range(MODEL.terms):
        total = total + MODEL.width * x**k
    return total if MODEL.kind == "series" else x


def of_a_shape(x):
    return x.reshape(SHAPE) * len(SHAPE)


@pytest.mark.parametrize("function", [of_a_named_tuple, of_a_frozen_dataclass, of_a_shape])
def test_their_fields_are_constants(function):
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(X), function(X), rtol=1e-15)
    assert pb.gradcheck(derived, X, order=2)


def of_what_may_change(x):
    return CHANGING.width * x


def test_what_may_change_is_no_constant():
    with pytest.raises(pb.FormulaError, match="`CHANGING` is a Changing outside the formula"):
        _ = pb.derive_pullback(of_what_may_change).operator
