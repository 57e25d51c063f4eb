"""Powers at zero and at whole exponents, remainders, and quotients of broadcast shapes."""

import numpy as np
import pytest

import pullback as pb


def derivatives(function, at, order):
    """The derivatives of a function of one number, from the first on."""
    x = pb.tensor(float(at), requires_grad=True)
    y, found = function(x), []
    for _ in range(order):
        y = pb.grad(y, [x], create_graph=True)[0] if y.requires_grad else pb.tensor(0.0)
        found.append(y.item())
    return found


@pytest.mark.parametrize(
    ("exponent", "expected"),
    [(0, [0, 0, 0]), (1, [1, 0, 0]), (2, [0, 2, 0]), (3, [0, 0, 6]), (2.0, [0, 2, 0])],
)
def test_whole_powers_at_zero(engine, exponent, expected):
    with np.errstate(all="raise"):
        assert derivatives(lambda x: x**exponent, 0.0, 3) == expected


@pytest.mark.parametrize("exponent", [-2, -1, 0, 1, 2, 3])
def test_whole_powers_of_a_negative_number(engine, exponent):
    x, n = -1.5, float(exponent)
    expected = [n * x ** (n - 1), n * (n - 1) * x ** (n - 2), n * (n - 1) * (n - 2) * x ** (n - 3)]
    assert derivatives(lambda x: x**exponent, x, 3) == pytest.approx(expected)


def test_a_tensor_of_exponents_at_zero(engine):
    """Exponents that are tensors: each entry by its own rule, without NaN."""
    x = pb.tensor(np.zeros(4), requires_grad=True)
    y = pb.tensor(np.array([0.0, 1.0, 2.0, 3.0]), requires_grad=True)
    to_x, to_y = pb.grad((x**y).sum(), [x, y], create_graph=True)
    assert to_x.detach().numpy().tolist() == [0, 1, 0, 0]
    assert to_y.detach().numpy().tolist() == [0, 0, 0, 0]
    (second,) = pb.grad(to_x.sum(), [x])
    assert second.detach().numpy().tolist() == [0, 0, 2, 0]


def test_the_mixed_derivative_at_exponent_zero(engine):
    """d/dx d/dy x**y is x**(y-1) (1 + y log x), which is 1/x at y = 0."""
    x, y = pb.tensor(2.0, requires_grad=True), pb.tensor(0.0, requires_grad=True)
    (to_x,) = pb.grad(x**y, [x], create_graph=True)
    assert to_x.item() == 0
    assert pb.grad(to_x, [y])[0].item() == pytest.approx(0.5)


def test_a_base_that_is_a_number(engine):
    assert derivatives(lambda x: 2.0**x, 1.5, 3) == pytest.approx(
        [2**1.5 * np.log(2) ** k for k in (1, 2, 3)]
    )


def test_the_square_root_at_zero_is_infinitely_steep(engine):
    with np.errstate(divide="ignore"):
        assert derivatives(lambda x: x**0.5, 0.0, 1) == [np.inf]
        assert derivatives(np.sqrt, 0.0, 1) == [np.inf]


@pytest.mark.parametrize(("x", "y"), [(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0)])
def test_remainder_has_the_sign_of_the_divisor(engine, x, y):
    a, b = pb.tensor(x, requires_grad=True), pb.tensor(y, requires_grad=True)
    to_a, to_b = pb.grad(np.remainder(a, b), [a, b])
    assert (to_a.item(), to_b.item()) == (1.0, -np.floor(x / y))


def test_gradients_have_their_operands_shapes(engine):
    shapes = ((3, 1), (4,), (2, 3, 4), ())
    for operator in (np.add, np.subtract, np.multiply, np.divide, np.power, np.arctan2):
        for first in shapes:
            for second in shapes:
                a, b = (pb.tensor(np.full(s, 1.5), requires_grad=True) for s in (first, second))
                gradients = pb.grad(operator(a, b).sum(), [a, b])
                assert [g.shape for g in gradients] == [first, second]
