"""Legendre's elliptic integrals of the first and second kind, by the parameter m = k^2.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov. What divides by m there is written as a
series where m is small.
"""

import math

import numpy as np
from scipy import special

import pullback as pb

_HALF_PI = math.pi / 2
_SMALL = 0.02  # below it twelve terms of the series are exact


@pb.formula(special.ellipk)
def ellipk(m):
    """K(m): dK = (E(m) - (1 - m) K(m)) / (2 m (1 - m)) dm. DLMF 19.4.1.

    Around zero by K = pi/2 2F1(1/2, 1/2; 1; m), DLMF 19.5.1, whose derivative is DLMF 15.5.1.
    """
    r = special.ellipk(m)

    def ellipk_pullback(grad):
        small = np.abs(m) < 0.5
        near, far = np.where(small, m, 0.25), np.where(small, 0.75, m)
        slope = (special.ellipe(far) / (1 - far) - special.ellipk(far)) / (2 * far)
        return grad * np.where(small, _HALF_PI / 4 * special.hyp2f1(1.5, 1.5, 2.0, near), slope)

    return r, ellipk_pullback


@ellipk.sample_inputs
def _ellipk_inputs(rng):
    yield (np.array([[-3.0, -0.7, -0.2, 0.0], [0.1, 0.3, 0.6, 0.9]]),), {}


@pb.formula(special.ellipkm1)
def ellipkm1(p):
    """K(1 - p), exact for small p: d = -K'(1 - p) dp, as `ellipk`. DLMF 19.4.1."""
    r = special.ellipkm1(p)

    def ellipkm1_pullback(grad):
        small = np.abs(1 - p) < 0.5
        near, far = np.where(small, 1 - p, 0.25), np.where(small, 0.25, p)
        slope = (special.ellipe(1 - far) / far - special.ellipkm1(far)) / (2 * (1 - far))
        return -grad * np.where(small, _HALF_PI / 4 * special.hyp2f1(1.5, 1.5, 2.0, near), slope)

    return r, ellipkm1_pullback


@ellipkm1.sample_inputs
def _ellipkm1_inputs(rng):
    yield (np.array([[0.05, 0.1, 0.4, 0.7], [1.0, 1.2, 1.7, 4.0]]),), {}


@pb.formula(special.ellipe)
def ellipe(m):
    """E(m): dE = (E(m) - K(m)) / (2 m) dm. DLMF 19.4.2.

    Around zero by E = pi/2 2F1(-1/2, 1/2; 1; m), DLMF 19.5.2, whose derivative is DLMF 15.5.1.
    """
    r = special.ellipe(m)

    def ellipe_pullback(grad):
        small = np.abs(m) < 0.5
        near, far = np.where(small, m, 0.25), np.where(small, 0.75, m)
        slope = (special.ellipe(far) - special.ellipk(far)) / (2 * far)
        return grad * np.where(small, -_HALF_PI / 4 * special.hyp2f1(0.5, 1.5, 2.0, near), slope)

    return r, ellipe_pullback


@ellipe.sample_inputs
def _ellipe_inputs(rng):
    yield (np.array([[-3.0, -0.7, -0.2, 0.0], [0.1, 0.3, 0.6, 0.9]]),), {}


def _difference(phi, m):
    """(F(phi, m) - E(phi, m)) / m, the integral of sin^2 / sqrt(1 - m sin^2) from 0 to phi.

    For small m the sum of (1/2)_k / k! m^k S_(2k+2), by the binomial series, where S_n is the integral of
    sin^n: n S_n = (n - 1) S_(n-2) - sin^(n-1)(phi) cos(phi).
    """
    small = np.abs(m) < _SMALL
    far = np.where(small, 0.5, m)
    direct = (special.ellipkinc(phi, far) - special.ellipeinc(phi, far)) / far
    near = np.where(small, m, 0)
    sine, cosine = np.sin(phi), np.cos(phi)
    integral = (phi - sine * cosine) / 2
    power = sine * cosine  # sin^(2k-1) cos
    coefficient = near * 0 + 1
    series = coefficient * integral
    for k in range(1, 12):
        power = power * sine * sine
        integral = ((2 * k + 1) * integral - power) / (2 * k + 2)
        coefficient = coefficient * near * ((2 * k - 1) / (2 * k))
        series = series + coefficient * integral
    return np.where(small, series, direct)


@pb.formula(special.ellipkinc)
def ellipkinc(phi, m):
    """F(phi, m), the integral of 1 / sqrt(1 - m sin^2). DLMF 19.2.4, and 19.4.5 for the derivative in m."""
    r = special.ellipkinc(phi, m)

    def ellipkinc_pullback(grad):
        root = np.sqrt(1 - m * np.sin(phi) ** 2)
        in_m = (r - _difference(phi, m) - np.sin(2 * phi) / (2 * root)) / (2 * (1 - m))
        return grad / root, grad * in_m

    return r, ellipkinc_pullback


@ellipkinc.sample_inputs
def _ellipkinc_inputs(rng):
    yield (rng.uniform(0.3, 1.2, (3, 4)), np.array([-0.7, 0.0, 0.01, 0.4])), {}


@pb.formula(special.ellipeinc)
def ellipeinc(phi, m):
    """E(phi, m), the integral of sqrt(1 - m sin^2). DLMF 19.2.5, and 19.4.6 for the derivative in m."""
    r = special.ellipeinc(phi, m)

    def ellipeinc_pullback(grad):
        return grad * np.sqrt(1 - m * np.sin(phi) ** 2), -grad * _difference(phi, m) / 2

    return r, ellipeinc_pullback


@ellipeinc.sample_inputs
def _ellipeinc_inputs(rng):
    yield (rng.uniform(0.3, 1.2, (3, 4)), np.array([-0.7, 0.0, 0.01, 0.4])), {}
