"""A backward inside of a backward, in closures and hooks, however deep."""

import threading

import numpy as np
import pytest

import pullback as pb

LEVELS = []
THREADS = set()


def one_level_down(gradient):
    """Run a backward through another call of the operator, until as many levels deep as was asked for."""
    THREADS.add(threading.get_ident())
    depth, at_the_bottom = LEVELS[-1]
    LEVELS.append((depth - 1, at_the_bottom))
    try:
        if depth > 1:
            inner = pb.tensor(1.0, requires_grad=True)
            with pb.enable_grad():
                y = nested_operator(inner * 2.0)
            (slope,) = pb.grad(y, inner)
            assert slope.item() == 2.0
        else:
            at_the_bottom()
    finally:
        LEVELS.pop()
    return gradient


@pb.formula
def nested_operator(x):
    def nested_pullback(grad):
        return one_level_down(grad)

    return x * 1.0, nested_pullback


@pytest.fixture
def nested():
    """The operator, whose backward runs a backward through itself, so many levels deep."""

    def of_depth(depth, at_the_bottom=lambda: None):
        LEVELS[:] = [(depth, at_the_bottom)]
        THREADS.clear()
        return nested_operator

    yield of_depth
    LEVELS.clear()


def test_a_closure_may_call_backward(engine, nested):
    seen = []
    function = nested(3, lambda: seen.append(pb.is_grad_enabled()))
    x = pb.tensor(3.0, requires_grad=True)
    (function(x) * 5.0).backward()
    assert x.grad.item() == 5.0
    assert seen == [False]


@pytest.mark.parametrize("depth", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_deep_nesting_needs_no_deep_stack(engine, nested, depth):
    before = threading.active_count()
    x = pb.tensor(3.0, requires_grad=True)
    nested(depth)(x).backward()
    assert x.grad.item() == 1.0
    assert len(THREADS) > depth / 100
    assert threading.active_count() == before


def test_an_error_comes_up_through_the_threads(engine, nested):
    def fail():
        raise KeyError("at the bottom")

    x = pb.tensor(3.0, requires_grad=True)
    with pytest.raises(KeyError, match="at the bottom") as caught:
        nested(100, fail)(x).backward()
    assert 1 <= len(caught.value.__notes__) <= 3
    assert pb.is_grad_enabled()


def test_modes_go_down_through_the_threads(engine, nested):
    seen = []

    def look():
        seen.append((pb.is_grad_enabled(), type(pb.tensor(1.0)).__module__))

    function = nested(100, look)
    x = pb.tensor(3.0, requires_grad=True)
    y = function(x)
    pb.grad(y, x, create_graph=True)
    pb.grad(y, x)
    assert [enabled for enabled, _ in seen] == [False, False]
    assert {module for _, module in seen} == {type(x).__module__}


def test_a_hook_may_call_backward_and_grad(engine):
    x = pb.tensor(2.0, requires_grad=True)
    z = pb.tensor(3.0, requires_grad=True)
    y = x * x

    def hook(gradient):
        with pb.enable_grad():
            loss = z * z * gradient
        loss.backward()
        return gradient * pb.grad(loss_again(), z)[0]

    def loss_again():
        with pb.enable_grad():
            return np.exp(z * 0.0) * z

    y.register_hook(hook)
    y.backward()
    assert z.grad.item() == 6.0
    assert x.grad.item() == 4.0


def test_an_inner_backward_through_a_part_of_the_outer_graph(engine):
    x = pb.tensor(2.0, requires_grad=True)
    t = x * x
    y = t * 3.0
    seen = []
    y.register_hook(lambda grad: seen.append(pb.grad(t, x, retain_graph=True)[0].item()))
    y.backward()
    assert seen == [4.0]
    assert x.grad.item() == 12.0


def test_an_inner_backward_accumulates_into_the_same_leaf(engine):
    x = pb.tensor(2.0, requires_grad=True)
    y = x * 3.0

    def hook(gradient):
        with pb.enable_grad():
            loss = x * x
        loss.backward()

    y.register_hook(hook)
    y.backward()
    assert x.grad.item() == 7.0
