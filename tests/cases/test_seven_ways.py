"""(a + b) b written in seven ways: the table of Simple Grad, and closed forms to third order."""

import numpy as np
import pytest

import pullback as pb

from . import seven_ways
from .orders import assert_right

A = np.array([0.3605, 0.9889, 0.8768, 0.5413])
B = np.array([0.2517, 0.3470, 0.8960, 0.3315])
RIGHT = ["simple_captured", "simple_recomputed", "simple_almost", "simple_by_hand", "simple_derived"]

# The table was printed from more digits than the inputs have.
TABLE = {
    "first": ([0.2517, 0.3470, 0.8960, 0.3315], [0.8638, 1.6829, 2.6688, 1.2043]),
    "second": ([1.7276, 3.3659, 5.3377, 2.4085], [3.9586, 7.4258, 12.4675, 5.4800]),
}


@pytest.fixture(params=RIGHT)
def simple(request, variant):
    return variant(getattr(seven_ways, request.param))


@pytest.fixture
def inputs():
    return pb.tensor(A, requires_grad=True), pb.tensor(B, requires_grad=True)


def _assert_both(found, table, closed):
    for gradient, printed, exact in zip(found, table, closed, strict=True):
        np.testing.assert_allclose(gradient.numpy(), printed, atol=5e-4)
        np.testing.assert_allclose(gradient.numpy(), exact, rtol=1e-12)


def test_first_derivative(engine, simple, inputs):
    a, b = inputs
    found = pb.grad(simple(a, b).sum(), [a, b])
    _assert_both(found, TABLE["first"], (B, A + 2 * B))


def test_second_derivative(engine, simple, inputs):
    a, b = inputs
    da, db = pb.grad(simple(a, b).sum(), [a, b], create_graph=True)
    found = pb.grad((da**2 + db**2).sum(), [a, b])
    _assert_both(found, TABLE["second"], (2 * (A + 2 * B), 2 * B + 4 * (A + 2 * B)))


def test_both_gradients_at_once(engine, simple, inputs):
    """The second loss uses the first's gradients and the operator itself."""
    a, b = inputs
    da, db = pb.grad(simple(a, b).sum(), [a, b], create_graph=True)
    found = pb.grad((da * da + db * db).sum() + simple(a, b).sum(), [a, b])
    expected = (2 * (A + 2 * B) + B, 2 * B + 4 * (A + 2 * B) + A + 2 * B)
    for gradient, exact in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient.numpy(), exact, rtol=1e-12)


def test_both_gradients_into_one_call(engine, simple, inputs):
    """One call of the operator meets the gradient of its result and of its promoted intermediate."""
    a, b = inputs
    r = simple(a, b)
    da, db = pb.grad(r.sum(), [a, b], create_graph=True)
    found = pb.grad((da * da + db * db).sum() + r.sum(), [a, b])
    expected = (2 * (A + 2 * B) + B, 2 * B + 4 * (A + 2 * B) + A + 2 * B)
    for gradient, exact in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient.numpy(), exact, rtol=1e-12)


def test_a_gradient_that_does_not_exist(engine, inputs):
    """a * a, seeded with ones, does not depend on b."""
    a, b = inputs
    to_a, to_b = pb.grad(a * a, [a, b], grad_outputs=pb.tensor(np.ones(4)), allow_unused=True)
    np.testing.assert_allclose(to_a.numpy(), [0.7210, 1.9778, 1.7535, 1.0827], atol=5e-4)
    np.testing.assert_allclose(to_a.numpy(), 2 * A, rtol=1e-15)
    assert to_b is None


def test_to_third_order(engine, simple):
    assert_right(simple, lambda a, b: (a + b) * b, (A, B))


def test_broadcasting_to_third_order(engine, simple):
    assert_right(simple, lambda a, b: (a + b) * b, (A[:3, None], B))


def test_finite_differences_agree(engine, simple):
    assert pb.gradcheck(simple, A, B, order=3)


def test_a_caller_gets_one_tensor(engine, simple, inputs):
    assert isinstance(simple(*inputs), pb.Tensor)


@pytest.mark.parametrize("name", RIGHT)
def test_float32_stays_and_agrees_with_float64(engine, name):
    simple = getattr(seven_ways, name)
    a, b = (pb.tensor(x.astype(np.float32), requires_grad=True) for x in (A, B))
    da, db = pb.grad(simple(a, b).sum(), [a, b], create_graph=True)
    found = pb.grad((da**2 + db**2).sum(), [a, b])
    for gradient, exact in zip(found, (2 * (A + 2 * B), 2 * B + 4 * (A + 2 * B)), strict=True):
        assert gradient.dtype == np.float32
        np.testing.assert_allclose(gradient.numpy(), exact, rtol=1e-6)
