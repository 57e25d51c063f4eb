"""`pullback.special`: SciPy's functions under their names, on tensors and arrays."""

import numpy as np
import pytest
import scipy.special

import pullback as pb

X = np.array([0.3, 0.6])


@pytest.mark.parametrize(
    "name", ["erfinv", "gammaln", "psi", "xlogy", "logsumexp", "softmax", "i0e", "expit"]
)
def test_values_are_those_of_scipy(engine, name):
    args = (X, X) if name == "xlogy" else (X,)
    ours, theirs = getattr(pb.special, name), getattr(scipy.special, name)
    found = ours(*(pb.tensor(x, requires_grad=True) for x in args))
    assert found.requires_grad
    np.testing.assert_allclose(found.detach().numpy(), theirs(*args))
    assert isinstance(ours(*args), (np.ndarray, np.floating))
    assert pb.gradcheck(ours, *args, order=2)


def test_orders_are_no_operands(engine):
    assert pb.gradcheck(lambda x: pb.special.polygamma(1, x), X, order=2)
    assert pb.gradcheck(lambda x: pb.special.jv(2, x), X, order=2)
    order = pb.tensor(2.0, requires_grad=True)
    with pytest.raises(pb.errors.NotDifferentiableError, match="attribute"):
        pb.special.jv(order, X)


def test_a_name_without_formula_is_scipys(engine):
    assert pb.special.comb is scipy.special.comb
    with pytest.raises(pb.errors.NotDifferentiableError, match=r"^scipy\.special\.smirnov has no formula"):
        pb.special.smirnov(3, pb.tensor(X, requires_grad=True))


def test_derivatives_at_zero_are_limits(engine):
    x = pb.tensor(0.0, requires_grad=True)
    for function, limits in (
        (np.sinc, (0, -(np.pi**2) / 3)),
        (pb.special.j1, (0.5, 0)),
        (pb.special.i1, (0.5, 0)),
    ):
        (first,) = pb.grad(function(x), x, create_graph=True)
        (second,) = pb.grad(first, x)
        np.testing.assert_allclose([first.item(), second.item()], limits, atol=1e-15)


def test_polygamma_of_order_one_is_that_of_every_order(engine):
    values = np.array([0.25, 1.0, 3.5, 40.0, -0.5])
    x = pb.tensor(values, requires_grad=True)
    found = pb.special.polygamma(1, x)
    np.testing.assert_allclose(found.detach().numpy(), scipy.special.polygamma(1, values), rtol=1e-13)
    (first,) = pb.grad(found.sum(), x, create_graph=True)
    np.testing.assert_allclose(first.detach().numpy(), scipy.special.polygamma(2, values), rtol=1e-12)
    (second,) = pb.grad(first.sum(), x)
    np.testing.assert_allclose(second.numpy(), scipy.special.polygamma(3, values), rtol=1e-12)
