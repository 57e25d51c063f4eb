"""Barriers: a derivative of the first order only refuses to be differentiated, from wherever."""

import numpy as np
import pytest

import pullback as pb


@pb.formula(first_order_only=True)
def once(x):
    r = np.exp(x)

    def once_pullback(grad):
        return grad * r

    return r, once_pullback


def leaf():
    return pb.tensor([0.5, 1.0], requires_grad=True)


def test_first_order_is_right(engine):
    x = leaf()
    np.testing.assert_allclose(pb.grad(once(x).sum(), x)[0].numpy(), np.exp([0.5, 1.0]))
    (dx,) = pb.grad(once(x).sum(), x, create_graph=True)
    np.testing.assert_allclose(dx.detach().numpy(), np.exp([0.5, 1.0]))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: once(x).sum(),
        lambda x: once(x * x).sum(),
        lambda x: (once(x) * x).sum(),
        lambda x: once(once(x)).sum(),
    ],
)
def test_second_order_names_the_formula_and_its_line(engine, program):
    x = leaf()
    (dx,) = pb.grad(program(x), x, create_graph=True)
    with pytest.raises(pb.errors.BarrierError, match=r"test_barrier.py:\d+.*once"):
        pb.grad((dx * dx).sum(), x, retain_graph=True)
    with pytest.raises(pb.errors.BarrierError, match="once"):
        (dx * dx).sum().backward()


def test_the_incoming_gradient_alone_meets_the_barrier_too(engine):
    x = leaf()
    seed = pb.tensor([1.0, 1.0], requires_grad=True)
    (dx,) = pb.grad(once(x), x, seed, create_graph=True)
    with pytest.raises(pb.errors.BarrierError, match="once"):
        pb.grad(dx.sum(), seed)


def test_what_does_not_pass_the_barrier_is_fine(engine):
    x, y = leaf(), leaf()
    (dx,) = pb.grad((once(x) + y * y).sum(), x, create_graph=True)
    (dy,) = pb.grad((dx.detach() * y).sum(), y)
    np.testing.assert_allclose(dy.numpy(), np.exp([0.5, 1.0]))
