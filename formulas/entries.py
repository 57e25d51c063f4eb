"""Functions entry by entry that are made of others."""

import numpy as np
from scipy import special

import pullback as pb


def _check_real(x):
    """Refuse complex values, which have no gradients."""
    if x.dtype == np.complex64 or x.dtype == np.complex128:
        raise TypeError("a formula takes parts of real numbers only: complex values have no gradients")


@pb.composite(np.real)
def real(val):
    """The number itself, which is real."""
    _check_real(val)
    return val


@pb.composite(np.conj)
def conj(x):
    """A real number is its own conjugate."""
    _check_real(x)
    return x


@pb.composite(np.imag)
def imag(val):
    """Zero, of a real number."""
    _check_real(val)
    return np.zeros_like(val)


@pb.composite(np.divmod)
def divmod(x1, x2):
    """The floored quotient, constant between its jumps, and the remainder."""
    return x1 // x2, x1 % x2


@pb.composite(np.modf)
def modf(x):
    """The fraction and the whole number, which is constant between its jumps."""
    x = x * 1.0
    finite = np.where(np.isinf(x), 0.0, x)
    return finite - np.trunc(finite), np.trunc(x)


@pb.composite(np.ldexp)
def ldexp(x1, x2):
    """Times a power of two, in the type of the factor."""
    r = x1 * 2.0**x2
    if x1.dtype == np.float32 or x1.dtype == np.float16:
        r = np.astype(r, x1.dtype)
    return r


@pb.composite(np.frexp)
def frexp(x):
    """Mantissa and exponent, which is constant between its jumps."""
    exponent = np.frexp(pb.stop_gradient(x))[1]
    return np.ldexp(x, -exponent), exponent


@pb.composite(np.float_power)
def float_power(x1, x2):
    """A power in float64."""
    return np.power(np.astype(x1, np.float64), x2)


@pb.composite(np.i0)
def numpy_i0(x):
    """The modified Bessel function of order 0."""
    return special.i0(x)
