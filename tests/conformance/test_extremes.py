"""Derivatives at the extremes of the range, to second order, against mpmath."""

import mpmath
import numpy as np
import pytest

import pullback as pb


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
    "log_ndtr": (_log_ndtr, (-1e8, -1e4, -40.0, -5.0, -1.0, -0.5, 0.5, 5.0)),
    "dawsn": (
        lambda x: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x),
        (-1e6, -40.0, -12.0, -3.0, 0.3, 11.9, 100.0, 1e4),
    ),
    "rgamma": (mpmath.rgamma, (-12.0, -3.0, -0.999999, -1e-9, 1e-20, 0.4, 0.5, 3.0, 30.0)),
    "erfcx": (
        lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
        (-5.0, 0.5, 3.0, 11.9, 12.0, 40.0, 1e4, 1e8),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_mpmath(engine, name):
    exact, points = FUNCTIONS[name]
    ours = getattr(pb.special, name)
    for point in points:
        x = pb.tensor(point, requires_grad=True)
        first = pb.grad(ours(x), x, create_graph=True)[0]
        second = pb.grad(first, x)[0].item()
        with mpmath.workdps(80):
            step = mpmath.mpf(10) ** -25
            wanted = [float(mpmath.diff(exact, mpmath.mpf(point), n, h=step)) for n in (1, 2)]
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
