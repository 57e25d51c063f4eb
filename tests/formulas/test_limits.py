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


FLAT = [special.erf, special.erfc, special.ndtr, special.i0e, special.i1e, special.erfcx, special.dawsn]
FLAT += [special.k0e, special.k1e, special.rgamma, special.expit, np.arctan, np.arcsinh, np.arccosh, np.cbrt]
ON_THE_RIGHT = {special.k0e, special.k1e, special.rgamma, special.erfcx, np.arccosh}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", FLAT, ids=lambda function: function.__name__)
def test_what_is_flat_at_infinity(engine, function):
    for x in [np.inf] if function in ON_THE_RIGHT else [np.inf, -np.inf]:
        assert derivatives(function, x) == ([0], [0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", [np.arcsinh, np.arccosh])
@pytest.mark.parametrize("x", [1e10, 1e154, 1e200])
def test_inverse_hyperbolic_functions_are_logarithms_far_out(engine, function, x):
    first, second = derivatives(function, x)
    np.testing.assert_allclose(first + second, [1 / x, -1 / x / x], rtol=1e-15)


@pytest.mark.parametrize("function", [np.arcsin, np.arctanh, special.expit])
def test_second_derivatives_that_are_lines_around_zero(engine, function):
    """x, 2 x, and -x / 8: what is subtracted from each other there is nearly equal."""
    slope = {np.arcsin: 1, np.arctanh: 2, special.expit: -1 / 8}[function]
    for x in (1e-8, -1e-100):
        np.testing.assert_allclose(derivatives(function, x)[1], slope * x, rtol=1e-14)


def test_arccosh_on_the_left_of_the_complex_plane(engine):
    z = np.array([-2 + 1j, -0.5 - 3j, -2j])
    x = pb.tensor(z, requires_grad=True)
    (found,) = pb.grad(np.arccosh(x).real.sum(), [x])
    h = 1e-6
    np.testing.assert_allclose(found.conj().numpy(), (np.arccosh(z + h) - np.arccosh(z - h)) / (2 * h), 1e-8)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("x", [-5.0, -9.0, -20.0, -37.0])
def test_gelu_keeps_its_digits_on_the_left(engine, x):
    """P(x) = p(x) / -x (1 - 1 / x^2 + ...), DLMF 7.12.1, here by erfcx, which has no tail to lose."""
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    tail = special.erfcx(-x / np.sqrt(2)) * np.exp(-x * x / 2) / 2
    first, second = derivatives(pb.gelu, x)
    np.testing.assert_allclose(pb.gelu(pb.tensor(x)).item(), x * tail, rtol=1e-11)
    np.testing.assert_allclose(first + second, [tail + x * density, (2 - x * x) * density], rtol=1e-11)
    assert pb.gelu(pb.tensor(-np.inf)).item() == 0


@pytest.mark.parametrize(("function", "order"), [(special.k0e, 0), (special.k1e, 1)])
@pytest.mark.parametrize("x", [40.0, 49.0, 51.0, 1e4, 1e12, 1e100])
def test_scaled_bessel_functions_k_far_out(engine, function, order, x):
    """The derivative of sqrt(pi / 2 x) (1 + a_1 / x + a_2 / x^2 + ...): DLMF 10.40.2 and 10.17.1."""
    terms, a = 0.5, 1.0
    for k in range(1, 25):
        a *= (4 * order**2 - (2 * k - 1) ** 2) / (8 * k * x)
        terms += a * (k + 0.5)
    np.testing.assert_allclose(derivatives(function, x)[0], -np.sqrt(np.pi / 2 / x) / x * terms, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("point", "slopes"), [((np.inf, 2.0), [1, 0]), ((-3.0, -np.inf), [0, -1]), ((np.inf, 0.0), [1, 0])]
)
def test_the_length_of_an_infinite_vector(engine, point, slopes):
    assert derivatives(np.hypot, *point) == (slopes, [0, 0])


def test_the_length_of_a_vector_that_is_nearly_on_an_axis(engine):
    """y^2 / r^3, which is no difference of nearly equal terms."""
    np.testing.assert_allclose(derivatives(np.hypot, 10.0, 1e-10)[1], [1e-23, 0.1], rtol=1e-14)


@pytest.mark.parametrize("x", [1e-160, 1e-300])
def test_the_second_derivative_of_expn_near_zero(engine, x):
    """E_2'' = E_0 = exp(-x) / x: DLMF 8.19.13 and 8.19.5."""
    np.testing.assert_allclose(derivatives(lambda x: special.expn(2, x), x)[1], 1 / x, rtol=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", [special.inv_boxcox, special.inv_boxcox1p])
@pytest.mark.parametrize(
    ("lmbda", "slopes"), [(0.5, [0, 0]), (1.0, [1, -1]), (2.0, [np.inf, -np.inf]), (-1.0, [np.inf, -np.inf])]
)
def test_the_end_of_the_inverse_transformation(engine, function, lmbda, slopes):
    """(1 + lmbda y)^(1 / lmbda) where the power is of zero."""
    assert derivatives(function, -1 / lmbda, lmbda)[0] == slopes


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", [special.rel_entr, special.kl_div])
def test_entropies_of_a_probability_of_zero(engine, function):
    """The mixed derivative is -1 / y for every x."""
    x, y = pb.tensor(0.0, requires_grad=True), pb.tensor(0.25, requires_grad=True)
    (by_x,) = pb.grad(function(x, y), [x], create_graph=True)
    assert pb.grad(by_x, [y])[0].item() == -4


def test_a_small_power_less_one(engine):
    first, _ = derivatives(special.powm1, 1e-160, 0.5)
    np.testing.assert_allclose(first[1], 1e-80 * np.log(1e-160), rtol=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_owens_t_of_no_height(engine):
    assert derivatives(lambda a: special.owens_t(0.0, a), 1e200) == ([0], [0])


# Their first and second derivatives with 500 digits, by mpmath 1.3.
FAR_OUT = {
    "silu": {
        -700.0: (-6.891913904088079e-302, -6.88205422754432e-302),
        2.0: (1.0907842487848955, 0.05006216869470691),
        40.0: (1.0, -1.6143746170108038e-16),
    },
    "mish": {
        -700.0: (-6.891913904088079e-302, -6.88205422754432e-302),
        2.0: (1.0693179342794896, -0.05772466740829406),
        40.0: (1.0, -5.631136330077695e-33),
    },
    "gelu": {
        -15.0: (-7.744633769500767e-113, -3.8385722310901284e-111),
        2.0: (1.0860992566236183, -0.10787507995107845),
        7.0: (1.0000000000000278, -3.2322584067057344e-13),
    },
    "softplus": {
        -700.0: (9.85967654375977e-305, 9.85967654375977e-305),
        40.0: (1.0, 4.248354255291589e-18),
    },
    "softsign": {2.0: (1 / 9, -2 / 27), 1e100: (1e-200, -2e-300), -1e100: (1e-200, 2e-300)},
    "logit": {0.75: (16 / 3, 128 / 9), 1e-150: (1e150, -1e300), 1e9: (-1.000000001e-18, 2.000000003e-27)},
}
ENDS = {**dict.fromkeys(("silu", "mish", "gelu"), (0, 0)), "softsign": (-1, 0), "tanhshrink": (-np.inf, 1)}


def activation(name):
    if name == "gelu":
        return lambda x: pb.nn.gelu(x, "tanh")
    return special.logit if name == "logit" else getattr(pb.nn, name)


@pytest.mark.parametrize(("name", "x"), [(name, x) for name, found in FAR_OUT.items() for x in found])
def test_activations_keep_their_digits(engine, name, x):
    function = activation(name) if name != "softplus" else pb.softplus
    first, second = derivatives(function, x)
    np.testing.assert_allclose(first + second, FAR_OUT[name][x], rtol=2e-12)


@pytest.mark.parametrize("name", ENDS)
def test_activations_at_infinity(engine, name):
    value, slope = ENDS[name]
    assert activation(name)(pb.tensor(-np.inf)).item() == value
    assert derivatives(activation(name), -np.inf) == ([slope], [0])
    assert derivatives(activation(name), np.inf) == ([0 if name == "softsign" else 1], [0])


@pytest.mark.parametrize("name", ["silu", "mish", "gelu", "softsign", "tanhshrink"])
def test_activations_to_third_order_also_at_zero(engine, name):
    assert pb.gradcheck(activation(name), np.array([-2.0, -0.5, 0.7, 3.0]), order=3)
    if name != "softsign":  # whose second derivative jumps there
        assert pb.gradcheck(activation(name), np.array([0.0]), order=3)


@pytest.mark.parametrize("base", [np.float32(0.3), np.float16(0.3), np.int8(3)])
def test_a_base_of_fewer_digits_leaves_an_exponent_its_own(engine, base):
    x = pb.tensor(0.7, requires_grad=True)
    assert pb.grad(base**x, x)[0].item() == pytest.approx(float(base) ** 0.7 * np.log(float(base)), rel=1e-14)
