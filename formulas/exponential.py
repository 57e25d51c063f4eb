"""Exponentials, logarithms, roots and the hyperbolic functions."""

import numpy as np

import pullback as pb


@pb.formula(np.exp, complex=True)
def exp(x):
    """e**x is its own derivative. DLMF 4.7.7."""
    r = np.exp(x)

    def exp_pullback(grad):
        return grad * r

    return r, exp_pullback


@pb.formula(np.expm1, complex=True)
def expm1(x):
    """r = e**x - 1, so dr = e**x dx, of which r + 1 has no digits where x is far below zero."""
    r = np.expm1(x)

    def expm1_pullback(grad):
        return grad * np.exp(x)

    return r, expm1_pullback


@pb.formula(np.log, complex=True)
def log(x):
    """The natural logarithm: d log x = dx / x. DLMF 4.7.1."""
    r = np.log(x)

    def log_pullback(grad):
        return grad / x

    return r, log_pullback


@log.sample_inputs
def _log_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(np.log1p, complex=True)
def log1p(x):
    """log(1 + x), so d log1p(x) = dx / (1 + x)."""
    r = np.log1p(x)

    def log1p_pullback(grad):
        return grad / (1 + x)

    return r, log1p_pullback


@log1p.sample_inputs
def _log1p_inputs(rng):
    yield (rng.uniform(-0.5, 2.0, (3, 4)),), {}


@pb.formula(np.sqrt, complex=True)
def sqrt(x):
    """r = x**(1/2), so 2 r dr = dx. At 0 the derivative is infinite."""
    r = np.sqrt(x)

    def sqrt_pullback(grad):
        return grad / (2 * r)

    return r, sqrt_pullback


@sqrt.sample_inputs
def _sqrt_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(np.sinh, complex=True)
def sinh(x):
    """d sinh x = cosh x dx. DLMF 4.34.1."""
    r = np.sinh(x)

    def sinh_pullback(grad):
        return grad * np.cosh(x)

    return r, sinh_pullback


@pb.formula(np.cosh, complex=True)
def cosh(x):
    """d cosh x = sinh x dx. DLMF 4.34.2."""
    r = np.cosh(x)

    def cosh_pullback(grad):
        return grad * np.sinh(x)

    return r, cosh_pullback


@pb.formula(np.tanh, complex=True)
def tanh(x):
    """r = tanh x: dr = sech(x)**2 dx = (1 - r**2) dx. DLMF 4.34.3 and 4.35.12."""
    r = np.tanh(x)

    def tanh_pullback(grad):
        return grad * (1 - r * r)

    return r, tanh_pullback


# log 2 and log 10, as numbers that don't widen float32.
_LOG_2 = 0.6931471805599453
_LOG_10 = 2.302585092994046


@pb.formula(np.log2, complex=True)
def log2(x):
    """The logarithm to base 2: d log2 x = dx / (x log 2). DLMF 4.2.21 and 4.7.1."""
    r = np.log2(x)

    def log2_pullback(grad):
        return grad / (x * _LOG_2)

    return r, log2_pullback


@log2.sample_inputs
def _log2_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(np.log10, complex=True)
def log10(x):
    """The logarithm to base 10: d log10 x = dx / (x log 10). DLMF 4.2.21 and 4.7.1."""
    r = np.log10(x)

    def log10_pullback(grad):
        return grad / (x * _LOG_10)

    return r, log10_pullback


@log10.sample_inputs
def _log10_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(np.exp2, complex=True)
def exp2(x):
    """r = 2**x, so dr = r log 2 dx. DLMF 4.7.9."""
    r = np.exp2(x)

    def exp2_pullback(grad):
        return grad * r * _LOG_2

    return r, exp2_pullback


_THIRD = 1 / 3


@pb.formula
def inverse_square(x):
    """r = 1 / x**2: dr = -2 r / x dx."""
    r = 1 / (x * x)

    def inverse_square_pullback(grad):
        return -2 * grad * (r / x)

    return r, inverse_square_pullback


@pb.formula(np.cbrt)
def cbrt(x):
    """r = x**(1/3), so 3 r**2 dr = dx. At 0 the derivative is infinite."""
    r = np.cbrt(x)

    def cbrt_pullback(grad):
        return grad * (inverse_square(r) * _THIRD)

    return r, cbrt_pullback


@cbrt.sample_inputs
@inverse_square.sample_inputs
def _cbrt_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)) * np.array([1.0, -1.0, 1.0, -1.0]),), {}


@pb.formula(np.logaddexp)
def logaddexp(x, y):
    """log(e**x + e**y): each operand takes its share of the sum, e**x / (e**x + e**y) = sigmoid(x - y)."""
    r = np.logaddexp(x, y)

    def logaddexp_pullback(grad):
        return grad * pb.sigmoid(x - y), grad * pb.sigmoid(y - x)

    return r, logaddexp_pullback


@pb.formula(np.logaddexp2)
def logaddexp2(x, y):
    """log2(2**x + 2**y): each operand takes its share of the sum, as in `logaddexp`."""
    r = np.logaddexp2(x, y)

    def logaddexp2_pullback(grad):
        return grad * pb.sigmoid((x - y) * _LOG_2), grad * pb.sigmoid((y - x) * _LOG_2)

    return r, logaddexp2_pullback
