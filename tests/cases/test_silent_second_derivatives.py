"""Second derivatives that others get wrong without a word, and polynomials whose values are known."""

import numpy as np
import pytest

import pullback as pb

from . import counterexamples as cases


def _derivatives(function, at, orders):
    x = pb.tensor(at, requires_grad=True)
    y = function(x)
    found = []
    for _ in range(orders):
        if y.requires_grad:
            (y,) = pb.grad(y, [x], create_graph=True, materialize_grads=True)
        else:
            y = 0 * y
        found.append(y.item())
    return found


@pytest.mark.parametrize(
    ("name", "at", "second"),
    [("exp_saved", 0.5, 16.3097), ("softplus_saved", 0.7, 0.221713), ("doubled_saved", 1.3, 8.0)],
)
def test_second_derivative(engine, variant, name, at, second):
    found = _derivatives(variant(getattr(cases, name)), at, 2)
    assert found[1] == pytest.approx(second, rel=2e-6)


def test_third_derivatives_by_their_closed_forms(engine, variant):
    s = 1 / (1 + np.exp(-0.7))
    assert _derivatives(variant(cases.exp_saved), 0.5, 3)[2] == pytest.approx((12 + 8 * 0.5) * np.e)
    assert _derivatives(variant(cases.softplus_saved), 0.7, 3)[2] == pytest.approx(s * (1 - s) * (1 - 2 * s))
    assert _derivatives(variant(cases.doubled_saved), 1.3, 3)[2] == 0


def test_the_polynomial_that_an_article_gets_wrong(engine):
    assert _derivatives(lambda x: x**2 + 2 * x + 1, 3.0, 3) == [8.0, 2.0, 0.0]


def test_relu_at_zero(engine):
    x = pb.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    (gradient,) = pb.grad(pb.relu(x).sum(), [x])
    assert gradient.numpy().tolist() == [0.0, 0.0, 1.0]
