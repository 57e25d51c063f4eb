"""`value_and_grad` with arrays in and out, and `gradcheck`."""

import numpy as np
import pytest
import scipy.optimize
from typeguard import suppress_type_checks

import pullback as pb


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_value_and_grad_drives_scipy(engine):
    found = scipy.optimize.minimize(pb.value_and_grad(rosenbrock), np.zeros(3), jac=True, method="BFGS")
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)


def test_value_and_grad_gives_arrays(engine):
    value, gradient = pb.value_and_grad(rosenbrock)(np.array([0.5, 1.0]))
    assert isinstance(value, np.float64)
    assert type(gradient) is np.ndarray
    assert value == rosenbrock(np.array([0.5, 1.0]))
    gradient += 1.0


def test_value_and_grad_by_several_arguments(engine):
    value, (da, dc) = pb.value_and_grad(lambda a, b, c: (a * b * c).sum(), argnums=(0, 2))(
        np.array([1.0, 2.0]), 3.0, np.array([4.0, 5.0])
    )
    assert value == 42.0
    assert da.tolist() == [12.0, 15.0]
    assert dc.tolist() == [3.0, 6.0]


def test_value_and_grad_by_arguments_counted_otherwise(engine):
    x, y = pb.tensor([1.0, 2.0], requires_grad=True), pb.tensor([3.0, 4.0])
    product = pb.value_and_grad(lambda a, b: (a * b).sum(), argnums=-1)
    assert product(x.detach(), y)[1].tolist() == [1.0, 2.0]
    assert pb.value_and_grad(lambda a: (a * a).sum(), argnums=np.int64(0))(x)[1].tolist() == [2.0, 4.0]
    for wrong in (lambda: product(), lambda: pb.value_and_grad(np.sum, 2)(x, y)):
        with pytest.raises(TypeError, match=r"argnums=-?\d of a call with \d positional arguments"):
            wrong()
    with suppress_type_checks(), pytest.raises(TypeError, match="integer"):
        pb.value_and_grad(np.sum, "x")
    assert x.grad is None


def test_value_and_grad_of_numbers_and_constants(engine):
    value, gradient = pb.value_and_grad(lambda x: x**2 + 2 * x + 1)(3)
    assert (float(value), float(gradient)) == (16.0, 8.0)
    assert pb.value_and_grad(lambda x: np.floor(x).sum())(np.ones(2))[1].tolist() == [0.0, 0.0]


def test_value_and_grad_records_under_no_grad_too(engine):
    with pb.no_grad():
        assert pb.value_and_grad(lambda x: x * x)(3.0)[1] == 6.0
        assert pb.gradcheck(np.tanh, np.array([0.5]))


def test_value_and_grad_refuses_a_plain_number(engine):
    with pytest.raises(TypeError, match=r"returned a float, not a tensor.*item"):
        pb.value_and_grad(lambda x: (x * x).item())(3.0)


def test_value_and_grad_needs_a_single_value(engine):
    with pytest.raises(pb.errors.GradientShapeError, match=r"\(2,\)"):
        pb.value_and_grad(lambda x: x * 2)(np.ones(2))


@pb.formula(surrogate=True)
def hundredfold(x):
    r = np.exp(x)

    def hundredfold_pullback(grad):
        return 100 * grad

    return r, hundredfold_pullback


@pb.formula(surrogate=True)
def wrong_at_second(x):
    r = np.exp(x)
    t = np.exp(x)

    def wrong_at_second_pullback(grad):
        return grad * pb.stop_gradient(t)

    return r, wrong_at_second_pullback


@pb.formula(surrogate=True)
def needs_curvature(x):
    r = np.sin(x)

    def needs_curvature_pullback(grad):
        return pb.stop_gradient(grad) * np.cos(x)

    return r, needs_curvature_pullback


@pb.formula(surrogate=True)
def wrong_second_result(x):
    first = x * x
    second = x * 3

    def wrong_second_result_pullback(grad_first, grad_second):
        return grad_first * 2 * x + grad_second * 4

    return (first, second), wrong_second_result_pullback


def test_gradcheck_calls_out_a_wrong_gradient(engine):
    with pytest.raises(pb.errors.GradcheckError, match="order 1 by input 0") as caught:
        pb.gradcheck(hundredfold, np.array([0.1, 0.2]))
    error = caught.value
    assert (error.order, error.input) == (1, 0)
    assert error.index in {(0,), (1,)}
    assert error.error == abs(error.analytic - error.numeric) > 1


@pytest.mark.parametrize("f", [wrong_at_second, needs_curvature])
def test_gradcheck_calls_out_a_wrong_second_derivative(engine, f):
    assert pb.gradcheck(f, np.array([0.3, 0.4]), order=1)
    with pytest.raises(pb.errors.GradcheckError, match="order 2") as caught:
        pb.gradcheck(f, np.array([0.3, 0.4]))
    assert caught.value.order == 2


@pb.formula
def off_in_two_elements(x, k):
    return x * x, lambda grad: (grad * (2 * x + 1e-3 * k), None)


def test_gradcheck_names_the_element_where_errors_of_several_sum_to_zero(engine):
    k = np.zeros((5, 8), int)
    k[1, 2], k[4, 7] = 1, -1
    with pytest.raises(pb.errors.GradcheckError, match=r"input 0 \(`x`\) is .* at element \((1, 2|4, 7)\)"):
        pb.gradcheck(lambda x: off_in_two_elements(x, k), np.linspace(0.1, 1.0, 40).reshape(5, 8), order=1)


def test_gradcheck_says_where_a_gradient_is_that_of_a_symmetric_matrix(engine):
    @pb.formula
    def log_determinant(a):
        factor = np.linalg.cholesky(a)
        return 2 * np.sum(np.log(np.diag(factor))), lambda grad: grad * np.linalg.inv(a)

    a = np.array([[2.0, 0.3], [0.3, 1.5]])
    with pytest.raises(pb.errors.GradcheckError, match=r"element \((0, 1|1, 0)\).*\. Together with element"):
        pb.gradcheck(log_determinant, a)
    assert pb.gradcheck(lambda a: log_determinant((a + a.T) / 2), a)


@pb.formula
def off_in_one_element(x, slope):
    return 2.0 * x, lambda grad: (grad * slope, None)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("other", [np.nan, np.inf])
def test_gradcheck_names_the_wrong_element_beside_one_that_is_no_number(engine, other):
    slope = np.array([2.0, 3.0, other, 2.0])
    x = np.array([1.0, -1.0, 4.0, 5.0])
    with pytest.raises(pb.errors.GradcheckError, match=r"at element \(1,\)"):
        pb.gradcheck(lambda x: off_in_one_element(x, slope), x)
    slope[1] = 2.0
    with pytest.raises(pb.errors.GradcheckError, match=r"is nan at element \(2,\)"):
        pb.gradcheck(lambda x: off_in_one_element(x, slope), x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradcheck_looks_past_results_that_are_no_numbers(engine):
    slope = np.array([2.0, 2.0, 3.0])
    with pytest.raises(pb.errors.GradcheckError, match=r"at element \(2,\)"):
        pb.gradcheck(lambda x: off_in_one_element(np.sqrt(x), slope), np.array([1.0, -1.0, 4.0]))
    with pytest.raises(pb.errors.GradcheckError, match=r"is nan at element \(1,\)"):
        pb.gradcheck(np.sqrt, np.array([1.0, -1.0, 4.0]))


def test_gradcheck_compares_where_an_input_is_infinite_or_nan(engine):
    x = np.array([1.0, np.inf, np.nan, -2.0])

    @pb.formula
    def finite_part(x, slope):
        def pullback(grad):
            return grad * np.where(np.isfinite(x), 1, slope), None

        return np.where(np.isfinite(x), x, 0), pullback

    assert pb.gradcheck(lambda x: np.square(finite_part(x, 0)), x)
    with pytest.raises(pb.errors.GradcheckError, match=r"at element \([12],\), and .* give 0"):
        pb.gradcheck(lambda x: 3 + finite_part(x, 1), x)


def test_gradcheck_says_where_a_function_has_a_kink(engine):
    with pytest.raises(pb.errors.GradcheckError, match=r"to the left it is 0 and to the right .*: a kink"):
        pb.gradcheck(pb.nn.relu, np.array([0.0, 1.0]))
    with pytest.raises(pb.errors.GradcheckError) as caught:
        pb.gradcheck(hundredfold, np.array([0.1, 0.2]))
    assert "kink" not in str(caught.value)


def test_gradcheck_of_order_0_is_refused(engine):
    with pytest.raises(ValueError, match="order counts from 1, and is 0"):
        pb.gradcheck(np.exp, np.array([0.5]), order=0)


def test_gradcheck_measures_once_along_a_direction_where_all_is_right(engine):
    calls = 0

    def counted(x):
        nonlocal calls
        calls += 1
        return np.tanh(x)

    assert pb.gradcheck(counted, np.linspace(-1.0, 1.0, 1000))
    assert calls < 10


def test_gradcheck_looks_at_all_results(engine):
    with pytest.raises(pb.errors.GradcheckError):
        pb.gradcheck(wrong_second_result, np.array([0.3, 0.4]))


def test_gradcheck_of_a_result_that_is_constant(engine):
    """The sign of a determinant, alone or beside its logarithm."""
    assert pb.gradcheck(np.linalg.slogdet, np.array([[0.3, 1.2], [-0.7, 0.4]]))
    assert pb.gradcheck(np.floor, np.array([0.3, 1.2]))
    with pytest.raises(pb.errors.GradcheckError, match=r"order 1 by input 0 \(`x`\) is 0"):
        pb.gradcheck(lambda x: pb.stop_gradient(x) * 2.0, np.array([0.3, 1.2]))


def test_large_values_hide_no_wrong_small_ones(engine):
    """Of the tail's curve, which would multiply them."""
    x = np.array([0.3, 30.0])
    assert pb.gradcheck(lambda x: np.exp(x / 3), x)
    with pytest.raises(pb.errors.GradcheckError, match=r"at element \(0,\)"):
        pb.gradcheck(lambda x: np.exp(x / 3) + 0.01 * pb.stop_gradient(np.sin(x)), x)


@pytest.mark.parametrize("unit", [1e-6, 1e-12, 1e-200])
def test_small_values_hide_no_wrong_derivatives(engine, unit):
    assert pb.gradcheck(lambda x: unit * np.exp(x), np.array([0.3, 0.4]))
    with pytest.raises(pb.errors.GradcheckError):
        pb.gradcheck(lambda x: unit * (np.exp(x) + 0.01 * pb.stop_gradient(np.sin(x))), np.array([0.3, 0.4]))


def test_rounding_of_small_values_is_no_derivative(engine):
    x = np.array([0.02, 0.03])
    assert pb.gradcheck(lambda x: np.sin(x) - x + x * x * x / 6, x)
    assert pb.gradcheck(lambda x: np.exp(x) - np.exp(x) * np.cos(x) ** 2 - np.exp(x) * np.sin(x) ** 2, x)


def test_gradcheck_of_right_functions(engine):
    assert pb.gradcheck(lambda a, b: (a @ b, np.exp(a)), np.ones((2, 3)), np.full((3, 2), 0.5), order=3)
    assert pb.gradcheck(lambda x, n: x**n, np.array([1.5, 2.0]), 3)
    assert pb.gradcheck(np.tanh, pb.tensor([0.1, 0.2]), order=2, float32=True)


def test_gradcheck_compares_float32(engine):
    def cancels(x):
        return (1 - np.cos(x)) / (x * x)

    assert pb.gradcheck(cancels, np.array([1e-2]), order=1)
    with pytest.raises(pb.errors.GradcheckError, match="float32"):
        pb.gradcheck(cancels, np.array([1e-2]), order=1, float32=True)


def test_gradcheck_needs_something_to_check(engine):
    with pytest.raises(TypeError, match="float or complex dtype"):
        pb.gradcheck(np.argmax, np.ones(3))
