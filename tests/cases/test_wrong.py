"""The checker calls out what is wrong, at the order at which it is wrong."""

import numpy as np
import pytest

import pullback as pb

from . import seven_ways, wrong

X = np.array([0.3, -0.7, 1.2])


def test_a_factor_of_a_hundred(engine):
    with pytest.raises(pb.errors.GradcheckError, match="order 1"):
        pb.gradcheck(wrong.hundredfold, X, order=1)


def test_a_second_derivative_that_is_wrong(engine):
    """Its first order is right, so a checker that stops there says nothing."""
    assert pb.gradcheck(wrong.right_at_first_order_only, X, order=1)
    with pytest.raises(pb.errors.GradcheckError, match="order 2"):
        pb.gradcheck(wrong.right_at_first_order_only, X)


def test_a_hand_written_rule_that_is_wrong(engine):
    assert pb.gradcheck(wrong.wrong_rule, X, order=1)
    with pytest.raises(pb.errors.GradcheckError, match="order 2"):
        pb.gradcheck(wrong.wrong_rule, X)


def test_a_gradient_that_is_missing(engine):
    with pytest.raises(pb.errors.GradcheckError, match="order 1"):
        pb.gradcheck(wrong.one_gradient_of_two, X, X + 1)


def test_a_write_to_the_incoming_gradient(engine):
    x = pb.tensor(X, requires_grad=True)
    with pytest.raises(pb.FormulaError, match=r"wrong\.py:36:9: PB302"):
        wrong.gradient_changed_in_place(x)


def test_a_lost_path_is_no_silent_zero(engine):
    assert pb.gradcheck(seven_ways.simple_lost_path, X, X + 1, order=1)
    with pytest.raises(pb.errors.BarrierError):
        pb.gradcheck(seven_ways.simple_lost_path, X, X + 1)
