"""Types follow NumPy's promotion, and a gradient has its input's type."""

import numpy as np
import pytest

import pullback as pb

STRONG = np.sqrt(2 / np.pi)  # a NumPy number: float64 stays float64
WEAK = 0.5  # a Python number: takes the array's type


@pb.formula
def widened(x):
    t = STRONG * x
    r = t * x

    def widened_pullback(grad):
        return grad * (t + STRONG * x)

    return r, widened_pullback


@pb.formula
def kept(x):
    t = WEAK * x
    r = t * x

    def kept_pullback(grad):
        return grad * (t + WEAK * x)

    return r, kept_pullback


@pytest.mark.parametrize(("formula", "expected"), [(widened, np.float64), (kept, np.float32)])
def test_a_result_has_numpys_type_and_a_gradient_its_inputs(engine, formula, expected):
    x = pb.tensor(np.array([1.0, 2.0], np.float32), requires_grad=True)
    y = formula(x)
    assert y.dtype == expected
    (first,) = pb.grad(y.sum(), [x], create_graph=True)
    (second,) = pb.grad(first.sum(), [x])
    assert first.dtype == second.dtype == np.float32


def test_operands_of_two_types_get_gradients_of_theirs(engine):
    @pb.formula
    def scaled(a, b):
        t = a * b
        r = t * b

        def scaled_pullback(grad):
            return grad * b * b, grad * (t + a * b)

        return r, scaled_pullback

    a = pb.tensor(np.ones(3, np.float32), requires_grad=True)
    b = pb.tensor(np.full(3, 2.0), requires_grad=True)
    r = scaled(a, b)
    first = pb.grad(r.sum(), [a, b], create_graph=True)
    second = pb.grad(sum((g * g).sum() for g in first), [a, b])
    assert r.dtype == np.float64
    assert [g.dtype for g in (*first, *second)] == [np.float32, np.float64] * 2
    # (b**2)**2 + (2ab)**2
    np.testing.assert_allclose(second[0].detach().numpy(), 8 * 4.0)
    np.testing.assert_allclose(second[1].detach().numpy(), 4 * 8.0 + 8 * 2.0)


def test_integer_inputs_have_no_gradient(engine):
    with pytest.raises(pb.errors.NotDifferentiableError):
        pb.tensor(np.arange(3), requires_grad=True)
    x = pb.tensor(np.ones(3), requires_grad=True)
    (gradient,) = pb.grad((x ** pb.tensor(np.arange(3))).sum(), [x])
    assert gradient.detach().numpy().tolist() == [0, 1, 2]
