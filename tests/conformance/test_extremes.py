"""Derivatives at the extremes of the range, to second order, against mpmath."""

import itertools

import mpmath
import numpy as np
import pytest
import scipy.special

import pullback as pb
from pullback.transpile.operators import OPERATORS
from tests.formulas.samples import OF_COMPLEX
from tests.sampling import sampled


def _log_ndtr(x):
    return mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2)


BOTH_SIDES = (1e-3, 0.7, 5.0, 49.9, 50.0, 800.0, -3e3, 1e8)
FUNCTIONS = {
    "i0e": (
        lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(0, x),
        BOTH_SIDES,
    ),
    "i1e": (
        lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(1, x),
        BOTH_SIDES,
    ),
    "log_ndtr": (_log_ndtr, (-1e10, -1e8, -1e4, -40.0, -5.0, -1.0, -0.5, 0.5, 5.0)),
    "dawsn": (
        lambda x: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x),
        (-1e6, -40.0, -12.0, -3.0, 0.3, 11.9, 100.0, 1e4),
    ),
    "rgamma": (mpmath.rgamma, (-12.0, -3.0, -0.999999, -1e-9, 1e-20, 0.4, 0.5, 3.0, 30.0)),
    "erfcx": (
        lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
        (-5.0, 0.5, 3.0, 11.9, 12.0, 40.0, 1e4, 1e8),
    ),
    "ellipk": (mpmath.ellipk, (-1e8, -30.0, -0.51, -0.49, 1e-9, 0.49, 0.51, 0.99)),
    "ellipe": (mpmath.ellipe, (-1e8, -30.0, -0.51, -0.49, 1e-9, 0.49, 0.51, 0.99)),
    "ellipkm1": (lambda p: mpmath.ellipk(1 - p), (1e-10, 0.49, 0.51, 1.0, 1.49, 1.51, 30.0, 1e8)),
    "exprel": (lambda x: mpmath.expm1(x) / x, (-1e8, -700.0, -0.51, -0.49, 1e-9, 0.49, 0.51, 50.0, 700.0)),
    "spence": (lambda z: mpmath.polylog(2, 1 - z), (1e-10, 0.49, 0.51, 1 + 1e-9, 1.49, 1.51, 40.0)),
    "wrightomega": (lambda z: mpmath.lambertw(mpmath.exp(z)).real, (-30.0, 0.0, 40.0, 500.0)),
}
# By the arguments before the last one, which take no gradient.
FAMILIES = {
    "gammainc": ((2.5,), lambda a, x: mpmath.gammainc(a, 0, x, regularized=True), (1e-8, 3.0, 100.0)),
    "betainc": (
        (2.5, 3.5),
        lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True),
        (1e-8, 0.3, 1 - 1e-8),
    ),
    "yv": ((1.5,), mpmath.bessely, (1e-3, 3.0, 500.0)),
    "kv": ((1.5,), mpmath.besselk, (1e-3, 3.0, 500.0)),
    "ive": ((1.5,), lambda v, x: mpmath.exp(-x) * mpmath.besseli(v, x), (1e-3, 54.0, 55.0, 1e5)),
    "kve": ((1.5,), lambda v, x: mpmath.exp(x) * mpmath.besselk(v, x), (1e-3, 54.0, 55.0, 1e5)),
    "hyp0f1": ((1.5,), mpmath.hyp0f1, (-500.0, 1e-9, 500.0)),
    "hyp1f1": ((1.5, 2.5), mpmath.hyp1f1, (-300.0, 1e-9, 300.0)),
    "hyp2f1": ((1.5, 2.5, 3.2), mpmath.hyp2f1, (-100.0, 1e-9, 0.9)),
    "hyperu": ((1.5, 2.5), mpmath.hyperu, (0.01, 3.0, 1000.0)),
    "eval_legendre": ((7,), mpmath.legendre, (-3.0, -1.0, 1.0, 10.0)),
    "eval_jacobi": ((7, 0.5, 1.5), mpmath.jacobi, (-3.0, -1.0, 1.0, 10.0)),
    "eval_laguerre": ((7,), lambda n, x: mpmath.laguerre(n, 0, x), (-30.0, 0.3, 100.0)),
    "expn": ((3,), mpmath.expint, (1e-3, 3.0, 500.0)),
    "struve": ((1.5,), mpmath.struveh, (0.01, 3.0, 100.0)),
    "modstruve": ((1.5,), mpmath.struvel, (0.01, 3.0, 100.0)),
}


@pytest.mark.parametrize("name", sampled([*FUNCTIONS, *FAMILIES], 3))
def test_derivatives_are_those_of_mpmath(engine, name):
    orders, exact, points = FAMILIES[name] if name in FAMILIES else ((), *FUNCTIONS[name])
    ours = getattr(pb.special, name)
    for point in points:
        x = pb.tensor(point, requires_grad=True)
        first = pb.grad(ours(*orders, x), x, create_graph=True)[0]
        second = pb.grad(first, x)[0].item()
        with mpmath.workdps(80):
            at = mpmath.mpf(point)
            wanted = [
                float(mpmath.diff(lambda z: exact(*orders, z), at, n, h=mpmath.mpf(10) ** -25))
                for n in (1, 2)
            ]
        np.testing.assert_allclose([first.item(), second], wanted, rtol=2e-10, err_msg=f"{name} at {point}")


def test_the_limits_of_scaled_bessel_functions_at_zero(engine):
    x = pb.tensor(0.0, requires_grad=True)
    first = pb.grad(pb.special.i1e(x), x, create_graph=True)[0]
    assert (first.item(), pb.grad(first, x)[0].item()) == (0.5, 0.0)


def test_nothing_becomes_nan_at_the_end_of_the_range(engine):
    for name, point in (
        ("log_ndtr", -1e150),
        ("dawsn", 1e150),
        ("erfcx", 1e150),
        ("i0e", 1e200),
        ("i1e", 1e200),
    ):
        x = pb.tensor(point, requires_grad=True)
        first = pb.grad(getattr(pb.special, name)(x), x, create_graph=True)[0]
        assert np.isfinite([first.item(), pb.grad(first, x)[0].item()]).all(), name


ENDS = np.array([5e-324, 1e-310, 1e-300, 1e-160, 1e-20, 0.5, 1.0, 20.0, 800.0, 1e8, 1e20, 1e155, 1e200])
POINTWISE = [
    entry.name
    for entry in OPERATORS.values()
    if entry.derivative == "formula" and entry.kind == "pointwise" and len(entry.operands) == 1
    if not entry.attrs and entry.name not in OF_COMPLEX
]


@pytest.mark.parametrize("name", POINTWISE)
def test_no_derivative_is_nan_where_the_one_before_is_finite(engine, name):
    x = pb.tensor([*-ENDS[::-1], -0.0, 0.0, *ENDS], requires_grad=True)
    with np.errstate(all="ignore"):
        values = [pb.formulas()[name](x)]
        for _ in range(2):
            if values[-1].requires_grad:
                values.append(pb.grad(values[-1].sum(), x, create_graph=True)[0])
    for value, derivative in itertools.pairwise(values):
        lost = np.isnan(derivative.detach().numpy()) & np.isfinite(value.detach().numpy())
        assert not lost.any(), x.detach().numpy()[lost]


def test_far_below_the_slope_of_log_ndtr_is_the_point_itself(engine):
    x = pb.tensor(-1e200, requires_grad=True)
    first = pb.grad(pb.special.log_ndtr(x), x, create_graph=True)[0]
    assert (first.item(), pb.grad(first, x)[0].item()) == (1e200, -1.0)


def test_the_second_derivative_of_logit_is_infinite_beside_zero(engine):
    x = pb.tensor(1e-300, requires_grad=True)
    first = pb.grad(pb.special.logit(x), x, create_graph=True)[0]
    with np.errstate(over="ignore"):
        assert pb.grad(first, x)[0].item() == -np.inf


def gradients(function, *points, dtype=float):
    """The gradients of a function of numbers, as tensors that have gradients, and the numbers."""
    inputs = [pb.tensor(np.array(point, dtype), requires_grad=True) for point in points]
    return pb.grad(function(*inputs), inputs, create_graph=True), inputs


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_an_angle_and_a_distance_have_derivatives_at_every_size(engine, size):
    (dy, dx), _ = gradients(pb.numpy.arctan2, 3 * size, 4 * size)
    np.testing.assert_allclose([dy.item(), dx.item()], [0.16 / size, -0.12 / size], rtol=1e-14)
    (dx, dy), (x, y) = gradients(pb.numpy.hypot, 3 * size, -4 * size)
    np.testing.assert_allclose([dx.item(), dy.item()], [0.6, -0.8], rtol=1e-14)
    mixed = [pb.grad(dx, each, retain_graph=True)[0].item() for each in (x, y)]
    np.testing.assert_allclose(mixed, [0.128 / size, 0.096 / size], rtol=1e-14)


@pytest.mark.parametrize("delta", [1e-300, 1e-160, 1.0, 1e100])
def test_the_slope_of_a_pseudo_huber_loss_at_every_width(engine, delta):
    (by_delta, by_r), _ = gradients(pb.special.pseudo_huber, delta, 0.75)
    with mpmath.workdps(400):
        at, r = mpmath.mpf(delta), mpmath.mpf(0.75)
        root = mpmath.sqrt(1 + (r / at) ** 2)
        wanted = [float(2 * at * (root - 1) - r**2 / (at * root)), float(r / root)]
    np.testing.assert_allclose([by_delta.item(), by_r.item()], wanted, rtol=1e-12, atol=1e-100)


def test_the_quotient_of_a_remainder_is_that_of_its_value(engine):
    x, y = np.array([0.9, 5.3, -1.0, 1.0, -7.5]), np.array([0.3, -2.0, np.inf, np.inf, 1e-3])
    for name, quotient in (("remainder", np.floor_divide), ("fmod", lambda x, y: (x - np.fmod(x, y)) / y)):
        (_, by_y), _ = gradients(lambda x, y, name=name: getattr(pb.numpy, name)(x, y).sum(), x, y)
        np.testing.assert_array_equal(by_y.numpy(), -np.round(quotient(x, y)))


def test_the_slope_of_expm1_far_below_zero_is_its_exponential(engine):
    for dtype in (np.float32, np.float64):
        points = np.array([-1.0, -20.0, -30.0, -80.0], dtype)
        (found,), _ = gradients(lambda x: np.expm1(x).sum(), points, dtype=dtype)
        np.testing.assert_allclose(found.detach().numpy(), np.exp(points), rtol=4 * np.finfo(dtype).eps)


RATIOS = [(1.0, 1.0), (1e300, 1e-300), (1e-300, 1e300), (5e-324, 1e-310), (2.0, 3.0), (1e-20, 1e5)]


@pytest.mark.parametrize(("x", "y"), RATIOS)
def test_slopes_of_relative_entropies_at_every_ratio(engine, x, y):
    with mpmath.workdps(50):
        log = float(mpmath.log(mpmath.mpf(x) / mpmath.mpf(y)))
    with np.errstate(all="ignore"):
        (by_x, by_y), _ = gradients(pb.special.rel_entr, x, y)
        np.testing.assert_allclose([by_x.item(), by_y.item()], [log + 1, -np.divide(x, y)], 1e-14, 1e-14)
        (by_x, by_y), _ = gradients(pb.special.kl_div, x, y)
        np.testing.assert_allclose([by_x.item(), by_y.item()], [log, 1 - np.divide(x, y)], 1e-14, 1e-14)


@pytest.mark.parametrize("pair", [(1.0, 1.0), (1.0, 1 + 1e-9), (3.0, 2.0), (-3.0, -2.0), (1e-100, 1e80)])
def test_a_mean_by_arithmetic_and_geometry_has_derivatives(engine, pair):
    values, (a, b) = gradients(pb.special.agm, *pair)
    second = [pb.grad(value, each, retain_graph=True)[0].item() for value in values for each in (a, b)]
    with mpmath.workdps(700):
        points = [mpmath.mpf(each) for each in pair]

        def exact(*moved):
            size = 1 if pair[0] > 0 else -1
            return size * mpmath.agm(*(size * each for each in moved))

        step = abs(min(points, key=abs)) * mpmath.mpf(10) ** -30

        def slope(*orders):
            return float(mpmath.diff(exact, tuple(points), orders, h=step))

        first = [slope(1, 0), slope(0, 1)]
        wanted = [slope(2, 0), slope(1, 1), slope(1, 1), slope(0, 2)]
    np.testing.assert_allclose([each.item() for each in values], first, rtol=1e-12)
    np.testing.assert_allclose(second, wanted, rtol=1e-7)


@pytest.mark.parametrize("x", [0.0, 5e-324, 1e-310, 1e-160, 2.5, 1e160, 1e300, np.inf, np.nan, -1e300])
def test_that_mean_is_scipys_at_every_size(engine, x):
    others = np.array([0.0, -0.0, 5e-324, 1e-300, 1.0, 1e300, np.inf, -np.inf, np.nan, -2.0, -1e300])
    found = pb.special.agm(pb.tensor(x), pb.tensor(others)).numpy()
    np.testing.assert_array_equal(found, scipy.special.agm(x, others))


OF_COUNTS = "bdtr bdtrc bdtri nbdtr nbdtrc kn"
IN_ONE_TYPE = "gdtr gdtrc gdtrix chdtr chdtrc chdtri fdtr fdtrc fdtri huber pseudo_huber " + OF_COUNTS


@pytest.mark.filterwarnings("ignore:non-integer arg:DeprecationWarning")
@pytest.mark.parametrize("name", IN_ONE_TYPE.split())
def test_numbers_of_python_leave_float32_as_it_is(engine, name):
    function, of_scipy = getattr(pb.special, name), getattr(scipy.special, name)
    numbers = (3, 4, 0.25)[-of_scipy.nin :] if name != "kn" else (3, 0.25)
    for place in range(of_scipy.nin):
        array = np.array([numbers[place]], np.float32)
        given = [array if k == place else number for k, number in enumerate(numbers)]
        wanted = of_scipy(*given)
        found = function(*(pb.tensor(each) if each is array else each for each in given))
        assert found.dtype == np.float32, place
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:non-integer arg:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:floating point number truncated:RuntimeWarning")
@pytest.mark.parametrize("name", OF_COUNTS.split())
def test_counts_are_taken_without_their_fractions(engine, name):
    of_scipy = getattr(scipy.special, name)
    given = np.meshgrid(*[[0.3, 1.0, 2.5, 4.9]] * (of_scipy.nin - 1), [0.0, 0.3, 1.0], indexing="ij")
    found = getattr(pb.special, name)(*map(pb.tensor, given)).numpy()
    if name == "bdtri":  # whose n must be larger than its k
        given, found = [each[given[1] > given[0]] for each in given], found[given[1] > given[0]]
    np.testing.assert_allclose(found, of_scipy(*given), rtol=1e-13)


def test_what_has_no_distribution_is_not_a_number(engine):
    for name, point in (
        *(("fdtr", point) for point in ((0.0, 1.0, 2.0), (1.0, -0.5, 2.0))),
        *(("fdtrc", point) for point in ((0.0, 1.0, 2.0), (1.0, 1.0, np.nan))),
        *(("diric", point) for point in ((0.5, 1.5), (0.5, 0.0), (0.5, -2.0))),
        ("pseudo_huber", (np.nan, 1.0)),
    ):
        assert np.isnan(getattr(scipy.special, name)(*point)), name
        with np.errstate(invalid="ignore"):
            assert np.isnan(getattr(pb.special, name)(*map(pb.tensor, point)).item()), (name, point)
    with np.errstate(invalid="ignore"):
        assert pb.special.pseudo_huber(pb.tensor(2.0), pb.tensor(-np.inf)).item() == np.inf
