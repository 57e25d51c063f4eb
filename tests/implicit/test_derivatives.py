"""`pb.implicit`: values, and derivatives to second order, against closed forms and finite differences."""

import numpy as np
import pytest

import pullback as pb

RNG = np.random.default_rng(11)
M = np.eye(2) + 0.2 * RNG.standard_normal((2, 2))


def cubic(x, a, b):
    """A system whose root depends on two arguments."""
    return M @ x + a * x**3 - b


def root_of_cubic(a, b):
    return pb.implicit.root(cubic, np.zeros(2), (a, b))


def fixed_point_of_tanh(a, b):
    return pb.implicit.fixed_point(lambda x, a, b: np.tanh(0.3 * (M @ x) * a + b), np.zeros(2), (a, b))


def minimizer(a, b):
    def energy(x, given):
        return np.sum(np.exp(given["a"] * x)) + 0.5 * np.sum((x - given["b"]) ** 2)

    return pb.implicit.minimize(energy, np.zeros(2), ({"a": a, "b": b},))


def solution(a, b):
    def slope(y, t, a):
        return -a * y**2 + 0.3 * np.cos(t * y[::-1])

    return pb.implicit.odeint(slope, b, np.array([0.1, 0.4, 0.8]), (a,))


FUNCTIONS = {f.__name__: f for f in (root_of_cubic, fixed_point_of_tanh, minimizer, solution)}
A, B = np.array([0.5, 0.8]), np.array([0.7, 0.4])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_to_second_order_are_finite_differences(engine, name):
    assert pb.gradcheck(FUNCTIONS[name], (A, B), order=2, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_argument_may_be_no_tensor(engine, name):
    function = FUNCTIONS[name]
    both = pb.func.jacrev(function, (0, 1))(A, B)
    np.testing.assert_allclose(pb.func.jacrev(function)(A, B), both[0], rtol=1e-8)
    np.testing.assert_allclose(pb.func.jacrev(lambda b: function(A, b))(B), both[1], rtol=1e-8)


def test_values_solve_the_equations():
    np.testing.assert_allclose(cubic(root_of_cubic(A, B), A, B), 0, atol=1e-14)
    x = fixed_point_of_tanh(A, B)
    np.testing.assert_allclose(np.tanh(0.3 * (M @ x) * A + B), x, rtol=1e-14)
    assert not isinstance(x, pb.Tensor)


def test_third_derivative_of_a_root(engine):
    def cube_root(a):
        return pb.implicit.root(lambda x, a: x**3 - a, 1.0, (a,))

    a = pb.tensor(2.0, requires_grad=True)
    y = cube_root(a)
    for power, factor in ((-2 / 3, 1 / 3), (-5 / 3, -2 / 9), (-8 / 3, 10 / 27)):
        (y,) = pb.grad(y, a, create_graph=True)
        assert y.item() == pytest.approx(factor * 2.0**power, rel=1e-12)


def test_times_have_gradients_to_second_order(engine):
    def end(t):
        return pb.implicit.odeint(lambda y, t: np.cos(t) * y, np.array([1.5]), t)[-1, 0]

    t = np.array([0.2, 0.7, 1.1])  # y(t) = 1.5 exp(sin t - sin t_0)
    y = 1.5 * np.exp(np.sin(1.1) - np.sin(0.2))
    c0, c1 = np.cos(0.2), np.cos(1.1)
    np.testing.assert_allclose(pb.func.grad(end)(t), [-c0 * y, 0, c1 * y], rtol=1e-7, atol=1e-8)
    expected = np.zeros((3, 3))
    expected[0, 0], expected[2, 2] = (c0**2 + np.sin(0.2)) * y, (c1**2 - np.sin(1.1)) * y
    expected[0, 2] = expected[2, 0] = -c0 * c1 * y
    np.testing.assert_allclose(pb.hessian(end, t).numpy(), expected, rtol=1e-6, atol=1e-6)


def test_times_may_run_downwards():
    k = pb.tensor(0.5, requires_grad=True)
    y = pb.implicit.odeint(lambda y, t, k: -k * y, 1.0, [2.0, 0.0], (k,))[-1]
    assert y.item() == pytest.approx(np.e, rel=1e-7)
    assert pb.grad(y, k)[0].item() == pytest.approx(2 * np.e, rel=1e-7)


def test_a_minimizer_of_many_calls_is_its_own():
    found = [
        pb.func.grad(lambda a: pb.implicit.minimize(lambda x, a: (x - a * a) ** 2, 0.0, (a,)))(float(k))
        for k in range(1, 20)
    ]
    np.testing.assert_allclose(found, 2.0 * np.arange(1, 20), rtol=1e-10)


X = np.ones(2)


def held():
    """A tensor that a function closes over."""
    return pb.tensor(2.0, requires_grad=True)


REFUSED = [
    (lambda: pb.implicit.root(lambda x: x * x + 1, 1.0), RuntimeError, "root did not converge"),
    (lambda: pb.implicit.root(lambda x: x[:1], X), ValueError, r"shape \(1,\) for an x of shape \(2,\)"),
    (lambda: pb.implicit.root(lambda x: x * held() - 1, X), pb.errors.NotDifferentiableError, "in args"),
    (lambda: pb.implicit.root(lambda x, a: x - a, X, 1.0), TypeError, "args is a tuple"),
    (lambda: pb.implicit.root(lambda x: 0 * x, X), np.linalg.LinAlgError, "ingular"),
    (lambda: pb.implicit.root(lambda x: x, np.ones(0)), ValueError, "an x0 with entries"),
    (lambda: pb.implicit.minimize(lambda x: x, X), ValueError, "a single value"),
    (lambda: pb.implicit.minimize(lambda x: x @ x, X, method="Powell"), ValueError, "method is one of"),
    (lambda: pb.implicit.minimize(lambda x: -(x @ x), 0 * X), np.linalg.LinAlgError, "positive definite"),
    (
        lambda: pb.implicit.fixed_point(lambda x: 2 * x + 1, 1.0, maxiter=3, method="iteration"),
        RuntimeError,
        "Failed",
    ),
    (lambda: pb.implicit.odeint(lambda y, t: y, X, [0.0, 1.0, 0.5]), ValueError, "in one direction"),
    (lambda: pb.implicit.odeint(lambda y, t: y[:1], X, [0.0, 1.0]), ValueError, "returns shape"),
    (
        lambda: pb.implicit.odeint(lambda y, t: held() * y, X, [0.0, 1.0]),
        pb.errors.NotDifferentiableError,
        "args",
    ),
]


@pytest.mark.parametrize("k", range(len(REFUSED)))
def test_a_mistake_is_named(k):
    call, error, message = REFUSED[k]
    with pytest.raises(error, match=message):
        call()
