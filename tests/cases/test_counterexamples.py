"""Every counterexample for promotion, first to third order, on both engines and compiled."""

import numpy as np
import pytest

import pullback as pb

from . import counterexamples as cases
from . import hyperdual as hd
from .orders import assert_right, nested

RNG = np.random.default_rng(7)
X = RNG.uniform(-1.0, 1.0, 5)
MATRIX = RNG.uniform(-1.0, 1.0, (3, 4))
COLUMN, ROW, BLOCK = (RNG.uniform(-1.0, 1.0, shape) for shape in ((3, 1), (4,), (5, 3, 4)))


def _simple(a, b):
    return (a + b) * b


# name, the function on hyper-dual numbers, inputs
EXACT = [
    ("shared_chain", lambda a, b, c: (a + b) * (a + b) * c, (COLUMN, ROW, BLOCK)),
    ("reduced_by_hand", _simple, (COLUMN, ROW)),
    ("from_result", hd.exp, (X,)),
    ("second_of_two", lambda x: x * hd.exp(x) * hd.exp(x), (X,)),
    ("default_argument", _simple, (X, X + 2)),
    ("nested_helper", _simple, (X, X + 2)),
    ("one_sided", lambda x: x * hd.exp(x), (X,)),
    ("view_of_input", lambda x: x[1:] * x[:-1], (X,)),
    ("view_of_intermediate", lambda x: (x * x) * (x * x)[:, :1], (MATRIX,)),
    ("integer_intermediate", lambda x: np.floor(x.parts[0]) * x, (3 * X,)),
    ("mask_as_float", lambda x: (x.parts[0] > 0) * (x * x * x), (X,)),
    ("own_results", lambda x: x * hd.softplus(hd.exp(x)), (X,)),
    ("two_results", lambda a, b: (a * a * b, hd.sin(a * b)), (X, X + 2)),
    ("exp_saved", lambda x: x * hd.exp(x) * hd.exp(x), (X,)),
    ("softplus_saved", hd.softplus, (X,)),
    ("doubled_saved", lambda x: 4 * (x * x), (X,)),
]


@pytest.mark.parametrize(("name", "plain", "inputs"), EXACT, ids=[case[0] for case in EXACT])
def test_derivatives_to_third_order(engine, variant, name, plain, inputs):
    assert_right(variant(getattr(cases, name)), plain, inputs)


@pytest.mark.parametrize(("name", "plain", "inputs"), EXACT, ids=[case[0] for case in EXACT])
def test_finite_differences_agree(engine, name, plain, inputs):
    assert pb.gradcheck(getattr(cases, name), *inputs, order=3)


def test_the_other_side_of_a_branch(engine):
    assert_right(lambda x: cases.one_sided(x, growing=False), hd.sin, (X,))


@pytest.mark.parametrize("unused", [0, 1])
def test_one_of_two_results_has_no_gradient(engine, variant, unused):
    plain = next(case[1] for case in EXACT if case[0] == "two_results")
    assert_right(variant(cases.two_results), plain, (X, X + 2), unused=(unused,))


@pytest.mark.parametrize("unused", [0, 1])
def test_one_of_two_results_comes_in_at_second_order_only(engine, variant, unused):
    """The first backward knows one result; the second meets both."""
    two_results = variant(cases.two_results)
    a, b = (pb.tensor(x, requires_grad=True) for x in (X, X + 2))
    results = two_results(a, b)
    (to_a,) = pb.grad(results[1 - unused].sum(), [a], create_graph=True)
    second = pb.grad((to_a * to_a).sum() + results[unused].sum(), [a, b])

    # p = a**2 b, q = sin(a b)
    x, y = X, X + 2
    first = {
        0: (2 * x * y, x * x),
        1: (y * np.cos(x * y), x * np.cos(x * y)),
    }
    hessian_row = {
        0: (2 * y, 2 * x),
        1: (-y * y * np.sin(x * y), np.cos(x * y) - x * y * np.sin(x * y)),
    }
    for k in (0, 1):
        expected = 2 * first[1 - unused][0] * hessian_row[1 - unused][k] + first[unused][k]
        np.testing.assert_allclose(second[k].numpy(), expected, rtol=1e-12)


def test_a_straight_through_closure_stays_consistent_with_itself(engine, variant):
    """The slope is stated as r**2 with r = round(x), which makes the next two 2 r**3 and 6 r**4."""
    x = np.array([1.2, -2.4, 3.1])
    r = np.round(x)
    one = np.ones(3)
    for k in range(3):
        along = np.eye(3)[k]
        found = nested(variant(cases.straight_through), (x,), [one], [[along]] * 3)
        np.testing.assert_allclose(found, [r[k] ** 2, 2 * r[k] ** 3, 6 * r[k] ** 4])


def test_only_the_results_are_seen(engine, variant):
    """Promoted intermediates are no part of what a caller gets."""
    p, q = variant(cases.two_results)(pb.tensor(X, requires_grad=True), pb.tensor(X))
    assert p.shape == q.shape == X.shape
    assert isinstance(variant(cases.second_of_two)(pb.tensor(X)), pb.Tensor)
