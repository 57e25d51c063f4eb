"""Powers of integers whose exponent is known: the integers that NumPy gives."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError

pytestmark = pytest.mark.compiler


def weighted(x):
    k = np.arange(len(x)) - 2
    return k**0, k**1, k**2, k**3, k**63, np.sum(k**2 * x**2)


def moment(x):
    return np.sum(np.arange(len(x)) ** 2 * x**3)


def test_they_are_those_of_numpy():
    x = np.linspace(0.5, 1.5, 5)
    for found, wanted in zip(pb.compile(weighted)(x), weighted(x), strict=True):
        np.testing.assert_array_equal(found, wanted)
        assert np.asarray(found).dtype == np.asarray(wanted).dtype
    assert pb.gradcheck(pb.compile(moment), x, order=2)


def test_an_exponent_that_may_be_negative_is_refused():
    def powers(x):
        return x * 2 ** np.arange(len(x))

    with pytest.raises(FormulaError, match="an exponent that is known and not negative"):
        pb.compile(powers)
