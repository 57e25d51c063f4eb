"""Arithmetic: the operators that Python itself spells, and powers.

Broadcasting is not here: the transformation sums each gradient to its
operand's shape.
"""

import numpy as np

import pullback as pb


@pb.formula(np.add, complex=True)
def add(x, y):
    """x + y, linear in both."""
    r = np.add(x, y)

    def add_pullback(grad):
        return grad, grad

    return r, add_pullback


@pb.formula(np.subtract, complex=True)
def subtract(x, y):
    """x - y, linear in both."""
    r = np.subtract(x, y)

    def subtract_pullback(grad):
        return grad, -grad

    return r, subtract_pullback


@pb.formula(np.multiply, complex=True)
def multiply(x, y):
    """x y, by the product rule: d(xy) = y dx + x dy. DLMF 1.4(iii)."""
    r = np.multiply(x, y)

    def multiply_pullback(grad):
        return grad * y, grad * x

    return r, multiply_pullback


@pb.formula(np.divide, complex=True)
def divide(x, y):
    """r = x / y, by the quotient rule: dr = (dx - r dy) / y. DLMF 1.4(iii)."""
    r = np.divide(x, y)

    def divide_pullback(grad):
        return grad / y, -grad * r / y

    return r, divide_pullback


@divide.sample_inputs
def _divide_inputs(rng):
    yield (rng.standard_normal((3, 4)), rng.uniform(0.5, 2.0, (4,))), {}
    yield (rng.standard_normal((2, 1)), -rng.uniform(0.5, 2.0, (2, 3))), {}


@pb.formula(np.negative, complex=True)
def negative(x):
    """-x."""
    r = np.negative(x)

    def negative_pullback(grad):
        return -grad

    return r, negative_pullback


@pb.formula(np.positive, complex=True)
def positive(x):
    """+x, a copy."""
    r = np.positive(x)

    def positive_pullback(grad):
        return grad

    return r, positive_pullback


@pb.formula(np.reciprocal, complex=True)
def reciprocal(x):
    """r = 1 / x, so dr = -r**2 dx."""
    r = np.reciprocal(x)

    def reciprocal_pullback(grad):
        return -grad * r * r

    return r, reciprocal_pullback


@reciprocal.sample_inputs
def _reciprocal_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)),), {}


@pb.formula(np.square, complex=True)
def square(x):
    """x**2, so d(x**2) = 2x dx."""
    r = np.square(x)

    def square_pullback(grad):
        return grad * (2 * x)

    return r, square_pullback


@pb.formula
def cube(x):
    """x**3, so d(x**3) = 3 x**2 dx: what the native engine calls for ``x**3``."""
    r = x * np.square(x)

    def cube_pullback(grad):
        return grad * (3 * np.square(x))

    return r, cube_pullback


@pb.formula(np.power, complex=True)
def power(x, y):
    """x**y: d/dx = y x**(y-1) and d/dy = x**y log x. DLMF 4.7.10 and 4.7.9.

    Conventions at x = 0, where these read 0 * inf: the derivative of x**0 is 0,
    and so is the derivative by the exponent wherever x**y has gone to 0, which
    it does faster than a logarithm grows.
    """
    r = np.power(x, y)

    def power_pullback(grad):
        base = np.where((x == 0) & (y == 0), 1, x)
        one = np.ones((), r.dtype)  # so that a logarithm has all digits of r where x has fewer
        log_base = np.log(np.where((r == 0) | ((x == 0) & (r == 1)), one, x))
        return grad * y * base ** (y - 1), grad * r * log_base

    return r, power_pullback


@power.sample_inputs
def _power_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(-2.0, 2.0, (4,))), {}
    yield (rng.uniform(0.5, 2.0, (2, 3)), 3), {}


@pb.formula(np.remainder)
def remainder(x, y):
    """r = x - floor(x / y) y; the floor, (x - r) / y, is constant between its jumps, and -1 of infinite r."""
    r = np.remainder(x, y)

    def remainder_pullback(grad):
        beyond = np.isinf(r)
        return grad, -grad * np.rint(np.where(beyond, -1, x - r) / np.where(beyond, 1, y))

    return r, remainder_pullback


@remainder.sample_inputs
def _remainder_inputs(rng):
    quotient = rng.integers(-3, 4, (3, 4)) + rng.uniform(0.2, 0.8, (3, 4))
    y = rng.uniform(1.0, 2.0, (3, 4))
    yield (quotient * y, y), {}


@pb.formula(np.fmod)
def fmod(x1, x2):
    """r = x1 - trunc(x1 / x2) x2, with the truncated quotient, (x1 - r) / x2, constant between its jumps."""
    r = np.fmod(x1, x2)

    def fmod_pullback(grad):
        return grad, -grad * np.rint((x1 - r) / x2)

    return r, fmod_pullback


@fmod.sample_inputs
def _fmod_inputs(rng):
    yield from _remainder_inputs(rng)
