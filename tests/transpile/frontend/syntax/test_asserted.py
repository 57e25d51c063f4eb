"""Assertions in formulas: they raise what Python raises, before and after compilation."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler


def products(x, w):
    assert x.ndim == 2, f"x has {x.ndim} axes"
    assert x.shape[1] == len(w)
    assert np.all(w > 0), "weights"
    y = np.zeros(len(x))
    for i in range(len(x)):
        assert w[0] < 5, "in a loop"
        y[i] = np.dot(x[i], w)
    return y


X, W = np.arange(6.0).reshape(3, 2), np.array([0.5, 1.5])


@pytest.mark.parametrize("made", [pb.derive_pullback, lambda f: pb.compile(f, order=1)])
def test_they_are_checked_where_they_stand(made):
    function = made(products)
    np.testing.assert_allclose(function(X, W), products(X, W))
    assert pb.gradcheck(function, X, W, order=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [((X[0], W), "x has 1 axes"), ((X, W[:1]), ""), ((X, -W), "weights"), ((X, 10 * W), "in a loop")],
)
@pytest.mark.parametrize("made", [pb.derive_pullback, lambda f: pb.compile(f, order=1)])
def test_what_is_raised_says_what_the_author_says(made, given, message):
    with pytest.raises(AssertionError) as raised:
        made(products)(*given)
    assert str(raised.value) == message
