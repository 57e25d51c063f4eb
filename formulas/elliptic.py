"""Legendre's elliptic integrals of the first and second kind, by the parameter m = k^2.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov. What divides by m there is written as a
series where m is small, and with the integrals B and D of `primitives.elliptic_integral`.
"""

import math

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_OF_B = math.pi / 32
_OF_D = 3 * math.pi / 32
_SMALL = 0.02  # below it twelve terms of the series are exact


@pb.formula(special.ellipk)
def ellipk(m):
    """K(m): dK = B / (2 (1 - m)) dm. DLMF 19.4.1, where E - (1 - m) K is m B."""
    r = special.ellipk(m)

    def ellipk_pullback(grad):
        return grad * primitives.elliptic_integral(1 - m, kind="B") / (2 * (1 - m))

    return r, ellipk_pullback


@ellipk.sample_inputs
def _ellipk_inputs(rng):
    yield (np.array([[-3.0, -0.7, -0.2, 0.0], [0.1, 0.3, 0.6, 0.9]]),), {}


@pb.formula(special.ellipkm1)
def ellipkm1(p):
    """K(1 - p), exact for a small p: d = -B / (2 p) dp, as `ellipk`. DLMF 19.4.1."""
    r = special.ellipkm1(p)

    def ellipkm1_pullback(grad):
        return -grad * primitives.elliptic_integral(p, kind="B") / (2 * p)

    return r, ellipkm1_pullback


@ellipkm1.sample_inputs
def _ellipkm1_inputs(rng):
    yield (np.array([[0.05, 0.1, 0.4, 0.7], [1.0, 1.2, 1.7, 4.0]]),), {}


@pb.formula(special.ellipe)
def ellipe(m):
    """E(m): dE = -D / 2 dm. DLMF 19.4.2, where K - E is m D."""
    r = special.ellipe(m)

    def ellipe_pullback(grad):
        return -grad * primitives.elliptic_integral(1 - m, kind="D") / 2

    return r, ellipe_pullback


@ellipe.sample_inputs
def _ellipe_inputs(rng):
    yield (np.array([[-3.0, -0.7, -0.2, 0.0], [0.1, 0.3, 0.6, 0.9]]),), {}


@pb.formula(primitives.elliptic_integral)
def elliptic_integral(p, *, kind):
    """B or D of the parameter m = 1 - p: dB = (D - B) / (2 m) dm and dD = (B / p - D) / (2 m) dm.

    From DLMF 19.4.1 and 19.4.2 with K = B + D and E = B + p D. Around m = 0 by B = pi/4 2F1(1/2, 1/2; 2; m)
    and D = pi/4 2F1(1/2, 3/2; 2; m), which follow from the binomial series as DLMF 19.5.1 does; DLMF 15.5.1.
    """
    r = primitives.elliptic_integral(p, kind=kind)

    def elliptic_integral_pullback(grad):
        is_near = np.abs(1 - p) < 0.5
        near, far = np.where(is_near, 1 - p, 0), np.where(is_near, 2, p)
        b = primitives.elliptic_integral(far, kind="B")
        d = primitives.elliptic_integral(far, kind="D")
        if kind == "B":
            series, slope = special.hyp2f1(1.5, 1.5, 3.0, near) * _OF_B, d - b
        else:
            series, slope = special.hyp2f1(1.5, 2.5, 3.0, near) * _OF_D, b / far - d
        return -grad * np.where(is_near, series, slope / (2 * (1 - far)))

    return r, elliptic_integral_pullback


@elliptic_integral.sample_inputs
def _elliptic_integral_inputs(rng):
    for kind in ("B", "D"):
        yield (np.array([0.05, 0.3, 0.7, 1.0, 1.2, 4.0]),), {"kind": kind}


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
