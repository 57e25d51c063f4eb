"""Derivatives at the limits of a domain, and far out, where their factors overflow or cancel."""

import numpy as np
import pytest
from scipy import special

import pullback as pb


def derivatives(function, *values):
    """The first and the second derivatives by each of the arguments."""
    inputs = [pb.tensor(value, requires_grad=True) for value in values]
    first = pb.grad(function(*inputs), inputs, create_graph=True)
    second = [pb.grad(slope, x, retain_graph=True)[0] for slope, x in zip(first, inputs, strict=True)]
    return [slope.item() for slope in first], [slope.item() for slope in second]


@pytest.mark.parametrize(("y", "x"), [(np.inf, 1.0), (1.0, np.inf), (-np.inf, np.inf), (0.0, -np.inf)])
def test_the_angle_of_a_point_at_infinity_does_not_turn(engine, y, x):
    assert derivatives(np.arctan2, y, x) == ([0, 0], [0, 0])


def test_the_angle_of_no_point_has_no_slope(engine):
    assert np.isnan(derivatives(np.arctan2, np.inf, np.nan)[0]).all()


@pytest.mark.parametrize(("a", "b", "slope", "bend"), [(-1.0, 1.0, 1.0, 1.0), (-2.0, 2.0, 1.5, 1.25)])
def test_log_beta_where_poles_cancel(engine, a, b, slope, bend):
    """B(a, 1) = 1 / a and B(a, 2) = 1 / (a (a + 1)): DLMF 5.12.1."""
    first, second = derivatives(lambda x: special.betaln(x, b), a)
    np.testing.assert_allclose(first + second, [slope, bend])
    first, _ = derivatives(lambda x: special.beta(x, b), a)
    np.testing.assert_allclose(first, slope * special.beta(a, b))


def test_log_beta_far_out(engine):
    assert derivatives(lambda x: special.betaln(x, 1.0), np.inf)[0] == [0]


@pytest.mark.parametrize("x", [0.5, 800.0])
def test_kummer_of_a_constant_and_a_line(engine, x):
    """1F1(0; b; x) = 1 and 1F1(-1; b; x) = 1 - x / b: DLMF 13.2.2."""
    assert derivatives(lambda t: special.hyp1f1(0.0, 1.5, t), x) == ([0], [0])
    assert derivatives(lambda t: special.hyp1f1(0, 0, t), x) == ([0], [0])
    assert derivatives(lambda t: special.hyp1f1(-1.0, -2.0, t), x) == ([0.5], [0])


@pytest.mark.parametrize("x", [-1.0, 0.5, 1.0])
def test_legendre_of_a_negative_degree(engine, x):
    """P_(-n-1) = P_n: DLMF 14.9.5."""
    for degree in range(4):
        np.testing.assert_allclose(
            derivatives(lambda t, n=degree: special.eval_legendre(-n - 1, t), x),
            derivatives(lambda t, n=degree: special.eval_legendre(n, t), x),
        )


@pytest.mark.parametrize("x", [-50.0, -30.0, 0.0, 30.0])
def test_the_second_derivative_of_log_expit_keeps_its_digits(engine, x):
    _, second = derivatives(special.log_expit, x)
    np.testing.assert_allclose(second, -special.expit(x) * special.expit(-x), rtol=1e-14)


@pytest.mark.parametrize("shape", [2e5, 1e8, 1e12, 1e20])
def test_gammainc_of_a_large_shape(engine, shape):
    """Its density is 1 / sqrt(2 pi a) and smaller terms at x = a, by DLMF 5.11.3, and nothing far below."""
    slope = derivatives(lambda x: special.gammainc(shape, x), shape)[0]
    np.testing.assert_allclose(slope, np.exp(-1 / (12 * shape)) / np.sqrt(2 * np.pi * shape), rtol=1e-13)
    assert derivatives(lambda x: special.gammainc(shape, x), 0.0)[0] == [0]
    below = shape - np.sqrt(shape)
    expected = special.gammainc(shape, below * (1 + 1e-4 / np.sqrt(shape)))
    expected -= special.gammainc(shape, below * (1 - 1e-4 / np.sqrt(shape)))
    if shape < 1e10:  # beyond, the step is rounded off
        slope = derivatives(lambda x: special.gammainc(shape, x), below)[0]
        np.testing.assert_allclose(slope, expected / (2e-4 * below / np.sqrt(shape)), rtol=1e-6)


def test_norms_of_an_order_below_one_have_cusps_at_zero(engine):
    """The middle of the slopes on both sides, which is 0."""
    rows = pb.tensor([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]], requires_grad=True)
    (slope,) = pb.grad(pb.nn.pdist(rows, 0.5).sum(), [rows])
    assert slope.tolist() == [[0, -1], [0, -1], [0, 2]]


@pytest.mark.parametrize("x", [-700.0, -30.0, -0.0, 0.0, 30.0, 40.0, 700.0])
def test_the_logistic_function_keeps_its_digits_far_out(engine, x):
    """By exp(-|x|) = t: t / (1 + t)**2, and -(1 - t) t / (1 + t)**3 on the right."""
    t = np.exp(-abs(x))
    first, second = derivatives(special.expit, x)
    np.testing.assert_allclose(first, t / (1 + t) ** 2, rtol=1e-14)
    np.testing.assert_allclose(second, -np.sign(x) * (1 - t) * t / (1 + t) ** 3, rtol=1e-14)


def test_the_third_derivative_of_the_logistic_function_in_the_middle(engine):
    x = pb.tensor(0.0, requires_grad=True)
    first = pb.grad(special.expit(x), x, create_graph=True)[0]
    second = pb.grad(first, x, create_graph=True)[0]
    assert pb.grad(second, x)[0].item() == -0.125


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("x", "y", "slopes"),
    [
        (np.inf, -1.0, [0, 0]),
        (0.0, -1.0, [-np.inf, -np.inf]),
        (0.0, 2.0, [0, 0]),
        (0.0, 0.0, [0, 0]),
    ],
)
def test_powers_that_have_gone_to_zero(engine, x, y, slopes):
    first, second = derivatives(np.power, x, y)
    assert first == slopes
    if (x, y) == (0.0, 2.0):
        assert second == [2, 0]
    elif slopes == [0, 0]:
        assert second == [0, 0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("x", "y"), [(0.5, np.inf), (2.0, -np.inf), (0.0, np.inf)])
def test_powers_by_an_infinite_exponent(engine, x, y):
    assert derivatives(lambda y: np.power(x, y), y) == ([0], [0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gelu_is_the_line_far_out(engine):
    assert derivatives(pb.gelu, np.inf)[0] == [1]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("function", "sign"), [(special.gdtr, 1), (special.gdtrc, -1)])
def test_the_gamma_distribution_where_its_density_is_not_finite(engine, function, sign, shape):
    """P(b, a x) is 0 for every rate where x is, and for every x where the rate is: DLMF 8.7.1."""
    by_rate, by_x = derivatives(lambda a, x: function(a, shape, x), 2.0, 0.0)[0]
    assert by_rate == 0
    assert by_x == sign * (np.inf if shape < 1 else 2.0 if shape == 1 else 0)
    assert derivatives(lambda a, x: function(a, shape, x), 0.0, 3.0)[0][1] == 0
    assert derivatives(lambda a, x: function(a, shape, x), 2.0, np.inf)[0] == [0, 0]
