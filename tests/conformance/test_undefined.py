"""Undefined gradients cost nothing: shown by counting the operators of a recorded backward."""

from collections import Counter

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core import dispatch

from .formulas import simple


@pb.formula
def pair(x):
    first = np.exp(x)
    second = np.sin(x)

    def pair_pullback(grad_first, grad_second):
        return grad_first * first + grad_second * np.cos(x)

    return (first, second), pair_pullback


@pytest.fixture
def count():
    counted = Counter()

    def observer(operator, inputs, attributes, results):
        counted[operator.name] += 1

    with dispatch.observing(observer):
        yield counted


def leaf():
    return pb.tensor([1.0, 2.0], requires_grad=True)


PLUMBING = {"sum_to", "broadcast_like"}


def arithmetic(counted):
    return {name: n for name, n in counted.items() if name not in PLUMBING}


def test_a_first_backward_does_nothing_for_the_hidden_output(engine, count):
    a, b = leaf(), leaf()
    y = simple(a, b)
    count.clear()
    pb.grad(y, [a, b], np.ones(2), create_graph=True)
    assert arithmetic(count) in ({"multiply": 3, "add": 1}, {"multiply": 2, "add": 1})


def test_an_input_that_needs_no_gradient_costs_nothing(engine, count):
    a, b = leaf(), leaf()
    y = simple(a, b.detach())
    count.clear()
    pb.grad(y, a, np.ones(2), create_graph=True)
    assert arithmetic(count) == {"multiply": 1}


def test_an_input_that_is_not_asked_for_costs_nothing(engine, count):
    a, b = leaf(), leaf()
    y = simple(a, b)
    count.clear()
    pb.grad(y, a, np.ones(2), create_graph=True)
    assert arithmetic(count) == {"multiply": 1}


def test_of_two_results_only_the_one_with_a_gradient_is_differentiated(engine, count):
    x = leaf()
    first, second = pair(x)
    count.clear()
    pb.grad(first, x, np.ones(2), create_graph=True)
    assert arithmetic(count) == {"multiply": 1}
    count.clear()
    (dx,) = pb.grad(second, x, np.ones(2), create_graph=True)
    assert arithmetic(count) == {"cos": 1, "multiply": 1}
    np.testing.assert_allclose(dx.detach().numpy(), np.cos([1.0, 2.0]))


def test_a_result_without_gradient_at_second_order(engine):
    x = leaf()
    first, second = pair(x)
    (dx,) = pb.grad((first * first).sum(), x, create_graph=True)
    (ddx,) = pb.grad((dx * second).sum(), x)
    e, s, c = np.exp([1.0, 2.0]), np.sin([1.0, 2.0]), np.cos([1.0, 2.0])
    np.testing.assert_allclose(ddx.numpy(), 4 * e * e * s + 2 * e * e * c)


def test_a_gradient_that_is_known_to_be_zero_is_nobodys_work(engine):
    x = pb.tensor([1.0, -2.0], requires_grad=True)
    y = pb.tensor([3.0, -4.0], requires_grad=True)
    (gradient,) = pb.grad(np.copysign(x, y).sum(), x, create_graph=True)
    assert gradient.tolist() == [1.0, 1.0]
    assert pb.grad(gradient.sum(), (x, y), allow_unused=True) == (None, None)
