"""Transformations of data: Box and Cox's and its inverse, Tukey's, Huber's losses, angles in degrees."""

import math

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_DEGREE = math.pi / 180
_ROOT_HALF = math.sqrt(0.5)
_ROOT_HALF_PI = math.sqrt(math.pi / 2)


def _in_lambda(log, lmbda, power, r):
    """The derivative of r = (power - 1) / lmbda in lmbda, power = exp(lmbda log): (power log - r) / lmbda.

    For small products log^2 1F1(2; 3; lmbda log) / 2, the derivative of (exp(z) - 1) / z.
    """
    small = np.abs(lmbda * log) < 0.5
    series = log * log * special.hyp1f1(2.0, 3.0, np.where(small, lmbda * log, 0)) / 2
    return np.where(small, series, (power * log - r) / np.where(lmbda == 0, 1, lmbda))


@pb.formula(special.boxcox)
def boxcox(x, lmbda):
    """(x^lmbda - 1) / lmbda, or log(x) for 0: x^(lmbda-1) dx.

    G. E. P. Box and D. R. Cox, "An Analysis of Transformations", J. Royal Statistical Society B 26 (1964).
    """
    r = special.boxcox(x, lmbda)

    def boxcox_pullback(grad):
        # At 0 it is -1 / lmbda.
        end = np.logical_and(x == 0, lmbda > 0)
        inner = np.where(end, 1, x)
        in_lmbda = _in_lambda(np.log(inner), lmbda, np.power(inner, lmbda), r)
        in_lmbda = np.where(end, -r / np.where(end, lmbda, 1), in_lmbda)
        return grad * np.power(x, lmbda - 1), grad * in_lmbda

    return r, boxcox_pullback


@boxcox.sample_inputs
def _boxcox_inputs(rng):
    yield (rng.uniform(0.3, 3.0, (3, 4)), np.array([-1.5, 0.0, 0.1, 2.0])), {}


@pb.formula(special.boxcox1p)
def boxcox1p(x, lmbda):
    """Box and Cox's transformation of 1 + x: (1 + x)^(lmbda-1) dx."""
    r = special.boxcox1p(x, lmbda)

    def boxcox1p_pullback(grad):
        end = np.logical_and(x == -1, lmbda > 0)
        inner = np.where(end, 0, x)
        in_lmbda = _in_lambda(np.log1p(inner), lmbda, np.power(1 + inner, lmbda), r)
        in_lmbda = np.where(end, -r / np.where(end, lmbda, 1), in_lmbda)
        return grad * np.power(1 + x, lmbda - 1), grad * in_lmbda

    return r, boxcox1p_pullback


@boxcox1p.sample_inputs
def _boxcox1p_inputs(rng):
    yield (rng.uniform(-0.5, 2.0, (3, 4)), np.array([-1.5, 0.0, 0.1, 2.0])), {}


def _slope_of_ratio(u):
    """The derivative of log(1 + u) / u: around zero -2F1(2, 2; 3; -u) / 2, DLMF 15.4.1 and 15.5.1."""
    small = np.abs(u) < 0.5
    near, far = np.where(small, u, 0), np.where(small, 1, u)
    direct = (far / (1 + far) - np.log1p(far)) / (far * far)
    return np.where(small, -special.hyp2f1(2.0, 2.0, 3.0, -near) / 2, direct)


def _slopes_of_inverse(y, lmbda, r):
    """The derivatives of r = (1 + lmbda y)^(1/lmbda) in both; exp(y h(lmbda y)) with h(u) = log(1 + u) / u.

    Where 1 + lmbda y is zero the first is r^(1 - lmbda), 0, 1 or infinite, and the other one y / lmbda of it.
    """
    base = 1 + lmbda * y
    end = base == 0
    edge = np.where(np.abs(2 * lmbda - 1) < 1, 0, np.where(lmbda == 1, 1, np.inf))
    in_y = np.where(end, np.astype(edge, r.dtype), r / base)
    inside = r * y * y * _slope_of_ratio(np.where(end, 0, lmbda * y))
    return in_y, np.where(end, in_y * (y / np.where(end, lmbda, 1)), inside)


@pb.formula(special.inv_boxcox)
def inv_boxcox(y, lmbda):
    """(1 + lmbda y)^(1/lmbda), or exp(y) for 0."""
    r = special.inv_boxcox(y, lmbda)

    def inv_boxcox_pullback(grad):
        in_y, in_lmbda = _slopes_of_inverse(y, lmbda, r)
        return grad * in_y, grad * in_lmbda

    return r, inv_boxcox_pullback


@inv_boxcox.sample_inputs
def _inv_boxcox_inputs(rng):
    yield (rng.uniform(0.3, 1.0, (3, 4)), np.array([-0.9, 0.0, 0.1, 2.0])), {}


@pb.formula(special.inv_boxcox1p)
def inv_boxcox1p(y, lmbda):
    """(1 + lmbda y)^(1/lmbda) - 1, or exp(y) - 1 for 0: as `inv_boxcox`."""
    r = special.inv_boxcox1p(y, lmbda)

    def inv_boxcox1p_pullback(grad):
        in_y, in_lmbda = _slopes_of_inverse(y, lmbda, r + 1)
        return grad * in_y, grad * in_lmbda

    return r, inv_boxcox1p_pullback


@inv_boxcox1p.sample_inputs
def _inv_boxcox1p_inputs(rng):
    yield (rng.uniform(0.3, 1.0, (3, 4)), np.array([-0.9, 0.0, 0.1, 2.0])), {}


@pb.formula(special.powm1)
def powm1(x, y):
    """x^y - 1: d = y x^(y-1) dx + x^y log(x) dy."""
    r = special.powm1(x, y)

    def powm1_pullback(grad):
        return grad * y * np.power(x, y - 1), grad * special.xlogy(np.power(x, y), x)

    return r, powm1_pullback


@powm1.sample_inputs
def _powm1_inputs(rng):
    yield (rng.uniform(0.3, 3.0, (3, 4)), rng.uniform(-1.0, 2.0, (4,))), {}


@pb.formula(special.tklmbda)
def tklmbda(x, lmbda):
    """Tukey's lambda distribution, the p with x = (p^lmbda - (1 - p)^lmbda) / lmbda: its density.

    By the inverse function theorem 1 / (p^(lmbda-1) + (1 - p)^(lmbda-1)); lmbda takes no gradient.
    """
    r = special.tklmbda(x, lmbda)

    def tklmbda_pullback(grad):
        in_lmbda = primitives.refuse_gradient(
            grad, argument="`lmbda` of scipy.special.tklmbda", why="there is no formula for the shape"
        )
        inside = np.logical_and(r > 0, r < 1)
        p = np.where(inside, r, 0.5)
        density = 1 / (np.power(p, lmbda - 1) + np.power(1 - p, lmbda - 1))
        return grad * np.where(inside, density, 0), in_lmbda

    return r, tklmbda_pullback


@tklmbda.sample_inputs
def _tklmbda_inputs(rng):
    yield (rng.uniform(-0.4, 0.4, (3, 4)), 2), {}
    yield (rng.uniform(-0.4, 0.4, (3,)), -1), {}


@pb.formula(special.ndtri_exp)
def ndtri_exp(y):
    """The x whose logarithm of the normal distribution function is y: its Mills ratio P(x) / p(x) dy.

    That is sqrt(pi / 2) erfcx(-x / sqrt(2)), DLMF 7.2.2 and 7.2.3.
    """
    r = special.ndtri_exp(y)

    def ndtri_exp_pullback(grad):
        return grad * special.erfcx(-r * _ROOT_HALF) * _ROOT_HALF_PI

    return r, ndtri_exp_pullback


@ndtri_exp.sample_inputs
def _ndtri_exp_inputs(rng):
    yield (rng.uniform(-8.0, -0.2, (3, 4)),), {}


@pb.formula(special.wrightomega, complex=True)
def wrightomega(z):
    """The w with w + log(w) = z: dw = w / (1 + w) dz.

    R. M. Corless and D. J. Jeffrey, "The Wright omega function" (2002).
    """
    r = special.wrightomega(z)

    def wrightomega_pullback(grad):
        return grad * r / (1 + r)

    return r, wrightomega_pullback


@pb.formula(special.sindg)
def sindg(x):
    """The sine of an angle in degrees."""
    r = special.sindg(x)

    def sindg_pullback(grad):
        return grad * special.cosdg(x) * _DEGREE

    return r, sindg_pullback


@pb.formula(special.cosdg)
def cosdg(x):
    """The cosine of an angle in degrees."""
    r = special.cosdg(x)

    def cosdg_pullback(grad):
        return -grad * special.sindg(x) * _DEGREE

    return r, cosdg_pullback


@pb.formula(special.tandg)
def tandg(x):
    """The tangent of an angle in degrees: 1 + r^2, by degree."""
    r = special.tandg(x)

    def tandg_pullback(grad):
        return grad * (1 + r * r) * _DEGREE

    return r, tandg_pullback


@pb.formula(special.cotdg)
def cotdg(x):
    """The cotangent of an angle in degrees: -(1 + r^2), by degree."""
    r = special.cotdg(x)

    def cotdg_pullback(grad):
        return -grad * (1 + r * r) * _DEGREE

    return r, cotdg_pullback


@cotdg.sample_inputs
def _cotdg_inputs(rng):
    yield (rng.uniform(20.0, 70.0, (3, 4)),), {}


@pb.composite(special.radian)
def radian(d, m, s):
    """Degrees, minutes and seconds in radians."""
    return (d + m / 60 + s / 3600) * _DEGREE


@pb.composite(special.huber)
def huber(delta, r):
    """r^2 / 2 where |r| <= delta, else delta (|r| - delta / 2); infinite for a negative delta.

    P. J. Huber, "Robust Estimation of a Location Parameter", Annals of Statistics 35 (1964).
    """
    size = np.abs(np.where(True, r, pb.stop_gradient(delta)))
    inside = size <= delta
    slope = np.where(inside, 1, np.where(True, delta, pb.stop_gradient(r)))  # which may be infinite
    return np.where(delta < 0, np.inf, np.where(inside, r * r / 2, slope * (size - slope / 2)))


@pb.composite(special.pseudo_huber)
def pseudo_huber(delta, r):
    """delta^2 (sqrt(1 + (r / delta)^2) - 1), written without cancellation; infinite for a negative delta."""
    known = np.where(delta <= 0, 1, np.where(True, delta, pb.stop_gradient(r)))
    loss = known * (r / (known + np.hypot(known, r))) * r
    loss = np.where(np.isinf(r) & (delta > 0), np.inf, loss)
    finite = np.where(np.isfinite(r), np.where(True, r, pb.stop_gradient(delta)), 0)
    none = delta * np.abs(finite)  # around delta = 0
    return np.where(delta < 0, np.inf, np.where(delta == 0, none, loss))
