"""What `check` measures: every order, each result alone, lists, and the dtypes."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
from pullback.tools.checking import Contender, locate, measure, orders


@pb.formula
def right(a, b):
    t = a + b

    def right_pullback(grad_product, grad_sum):
        return grad_product * b + grad_sum, grad_product * (t + b) + grad_sum

    return (t * b, a + b), right_pullback


@pb.formula
def wrong_alone(a, b):
    """Right where both gradients are defined; wrong where only the second is."""

    def wrong_alone_pullback(grad_product, grad_sum):
        if grad_product is None:
            grad_a, grad_b = grad_sum * 2.0, grad_sum
        else:
            grad_a = grad_product * b + (0.0 if grad_sum is None else grad_sum)
            grad_b = grad_product * a + (0.0 if grad_sum is None else grad_sum)
        return grad_a, grad_b

    return (a * b, a + b), wrong_alone_pullback


@pb.formula
def value_only(x):
    """The first derivative is right, the second lacks a term."""
    t = pb.stop_gradient(np.exp(x))

    def value_only_pullback(grad):
        return grad * t

    return np.exp(x), value_only_pullback


@pb.formula(surrogate=True)
def surrogate(x):
    def surrogate_pullback(grad):
        return grad

    return np.round(x), surrogate_pullback


PAIR = [((np.array([[0.3], [0.7]]), np.array([0.2, 0.5, 0.9])), {})]
ONE = [((np.linspace(-1.0, 1.0, 8),), {})]


def on(formula: pb.Formula) -> Contender:
    return Contender("reference", "reference", formula)


def test_a_right_formula_passes_in_every_order_and_dtype() -> None:
    found = list(measure(on(right), PAIR, range(1, 4)))
    assert [(m.order, m.dtype) for m in found] == [(k, d) for k in (1, 2, 3) for d in ("float64", "float32")]
    assert all(m.passes for m in found)


def test_each_result_is_checked_alone() -> None:
    same = [((np.array([0.3, 0.7]), np.array([0.2, 0.5])), {})]
    found = {(m.order, m.dtype): m.passes for m in measure(on(wrong_alone), same, range(1, 2))}
    assert not found[1, "float64"]


def test_a_lost_path_shows_at_the_second_order_and_is_located() -> None:
    found = {(m.order, m.dtype): m.passes for m in measure(on(value_only), ONE, range(1, 3))}
    assert found[1, "float64"]
    assert not found[2, "float64"]
    found = locate(on(value_only), ONE, 2)
    assert str(found).startswith("the derivative of order 2 by input 0 (`x`) is ")
    assert locate(on(right), PAIR, 2) is None


@pytest.mark.parametrize(("formula", "expected"), [(right, range(1, 4)), (surrogate, range(0))])
def test_orders_that_can_be_checked(formula: pb.Formula, expected: range) -> None:
    assert orders(formula, 3) == expected
