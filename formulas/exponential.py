"""Exponentials, logarithms, roots and the hyperbolic functions."""

import numpy as np

import pullback as pb


@pb.formula(np.exp)
def exp(x):
    """e**x is its own derivative. DLMF 4.7.7."""
    r = np.exp(x)

    def exp_pullback(grad):
        return grad * r

    return r, exp_pullback


@pb.formula(np.expm1)
def expm1(x):
    """r = e**x - 1, so dr = (r + 1) dx."""
    r = np.expm1(x)

    def expm1_pullback(grad):
        return grad * (r + 1)

    return r, expm1_pullback


@pb.formula(np.log)
def log(x):
    """The natural logarithm: d log x = dx / x. DLMF 4.7.1."""
    r = np.log(x)

    def log_pullback(grad):
        return grad / x

    return r, log_pullback


@log.sample_inputs
def _log_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(np.log1p)
def log1p(x):
    """log(1 + x), so d log1p(x) = dx / (1 + x)."""
    r = np.log1p(x)

    def log1p_pullback(grad):
        return grad / (1 + x)

    return r, log1p_pullback


@log1p.sample_inputs
def _log1p_inputs(rng):
    yield (rng.uniform(-0.5, 2.0, (3, 4)),), {}


@pb.formula(np.sqrt)
def sqrt(x):
    """r = x**(1/2), so 2 r dr = dx. At 0 the derivative is infinite."""
    r = np.sqrt(x)

    def sqrt_pullback(grad):
        return grad / (2 * r)

    return r, sqrt_pullback


@sqrt.sample_inputs
def _sqrt_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(np.sinh)
def sinh(x):
    """d sinh x = cosh x dx. DLMF 4.34.1."""
    r = np.sinh(x)

    def sinh_pullback(grad):
        return grad * np.cosh(x)

    return r, sinh_pullback


@pb.formula(np.cosh)
def cosh(x):
    """d cosh x = sinh x dx. DLMF 4.34.2."""
    r = np.cosh(x)

    def cosh_pullback(grad):
        return grad * np.sinh(x)

    return r, cosh_pullback


@pb.formula(np.tanh)
def tanh(x):
    """r = tanh x: dr = sech(x)**2 dx = (1 - r**2) dx. DLMF 4.34.3 and 4.35.12."""
    r = np.tanh(x)

    def tanh_pullback(grad):
        return grad * (1 - r * r)

    return r, tanh_pullback
