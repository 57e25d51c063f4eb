"""A closure is compared with the one that follows from its forward."""

import numpy as np
from scipy import special

import pullback as pb
from pullback.tools.derived import compare, derived_of

ONE = [((np.linspace(0.2, 1.0, 5),), {})]


@pb.formula
def right(x):
    t = np.exp(x)

    def right_pullback(grad):
        return 2 * grad * t * t

    return t * t, right_pullback


@pb.formula
def value_only(x):
    t = pb.stop_gradient(np.exp(x))

    def value_only_pullback(grad):
        return grad * t

    return np.exp(x), value_only_pullback


@pb.formula
def opaque(x):
    t = special.zetac(np.exp(x))

    def opaque_pullback(grad):
        return grad * x

    return t, opaque_pullback


def test_a_right_closure_has_the_derivatives_of_the_derived_one():
    assert all(found.passes for found in compare(right, derived_of(right), ONE, range(1, 4)))


def test_a_lost_path_differs_at_the_second_order():
    found = compare(value_only, derived_of(value_only), ONE, range(1, 3))
    assert [measurement.passes for measurement in found] == [True, False]


def test_there_may_be_nothing_to_compare_with():
    assert derived_of(pb.formulas()[np.tanh]) is None
    assert derived_of(opaque) is None
