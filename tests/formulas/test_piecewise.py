"""Kinks: which subgradient is taken, and that nothing of the branch not taken comes through."""

import numpy as np
import pytest

import pullback as pb


def gradients(function, *values):
    """The gradients of the sum of a function, as lists."""
    tensors = [pb.tensor(np.asarray(value, float), requires_grad=True) for value in values]
    found = pb.grad(function(*tensors).sum(), tensors, materialize_grads=True)
    return [g.detach().numpy().tolist() for g in found]


def test_abs_at_zero(engine):
    assert gradients(np.abs, [-2.0, 0.0, 3.0]) == [[-1, 0, 1]]


@pytest.mark.parametrize("function", [np.maximum, np.minimum])
def test_operands_that_tie_share(engine, function):
    first, second = gradients(function, [1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
    low, high = [1, 0.5, 0], [0, 0.5, 1]
    assert (first, second) == ((high, low) if function is np.maximum else (low, high))


def test_clip_at_its_bounds_follows_x(engine):
    assert gradients(lambda x: np.clip(x, -1.0, 1.0), [-2.0, -1.0, 0.0, 1.0, 2.0]) == [[0, 1, 1, 1, 0]]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [((-1.0, None), [0, 1, 1, 1, 1]), ((None, 1.0), [1, 1, 1, 1, 0]), ((None, None), [1, 1, 1, 1, 1])],
)
def test_clip_with_a_bound_left_out(engine, bounds, expected):
    assert gradients(lambda x: np.clip(x, *bounds), [-2.0, -1.0, 0.0, 1.0, 2.0]) == [expected]


def test_clip_sends_the_gradient_to_the_bound_that_holds(engine):
    x, low, high = gradients(np.clip, [-2.0, 0.0, 2.0], [-1.0, -1.0, -1.0], [1.0, 1.0, 1.0])
    assert (x, low, high) == ([0, 1, 0], [1, 0, 0], [0, 0, 1])


def test_clip_with_crossed_bounds_is_the_upper(engine):
    x, low, high = gradients(np.clip, [-2.0, 0.0, 2.0], [1.0] * 3, [-1.0] * 3)
    assert (x, low, high) == ([0, 0, 0], [0, 0, 0], [1, 1, 1])


def test_where_keeps_the_other_branch_out(engine):
    """log of a masked entry: its own infinite slope is multiplied by a zero that never reaches it."""
    assert gradients(lambda x: np.where(x > 0, x * x, -x), [-1.0, 0.0, 2.0]) == [[-1, -1, 4]]


def test_where_takes_numbers_and_broadcasts(engine):
    x = pb.tensor(np.ones((3, 1)), requires_grad=True)
    mask = np.array([True, False, True, True])
    (gradient,) = pb.grad(np.where(mask, x, 0.0).sum(), [x])
    assert gradient.detach().numpy().tolist() == [[3], [3], [3]]


def test_the_condition_has_no_gradient(engine):
    x, c = pb.tensor(np.ones(3), requires_grad=True), pb.tensor(np.ones(3), requires_grad=True)
    to_x, to_c = pb.grad(np.where(c > 0, x, 2.0).sum(), [x, c], allow_unused=True)
    assert to_x.detach().numpy().tolist() == [1, 1, 1]
    assert to_c is None


def test_second_derivatives_are_zero(engine):
    for function in (np.abs, lambda x: np.maximum(x, 0.3), lambda x: np.clip(x, -0.5, 0.5)):
        x = pb.tensor([-1.0, 0.1, 2.0], requires_grad=True)
        (first,) = pb.grad((function(x) * 1.0).sum(), [x], create_graph=True)
        if first.requires_grad:
            (second,) = pb.grad(first.sum(), [x], materialize_grads=True)
            assert second.detach().numpy().tolist() == [0, 0, 0]
