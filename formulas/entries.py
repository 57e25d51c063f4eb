"""Functions entry by entry that are made of others."""

import numpy as np
from scipy import special

import pullback as pb


@pb.composite(np.angle)
def angle(z, *, deg=False):
    """The argument of a complex number, from -pi to pi; of a real one 0 or pi, constant between its jumps."""
    if z.dtype == np.complex64 or z.dtype == np.complex128:
        r = np.arctan2(np.imag(z), np.real(z))
    else:
        r = np.arctan2(0, pb.stop_gradient(z))
    if deg:
        r = r * (180 / np.pi)
    return r


@angle.sample_inputs
def _angle_inputs(rng):
    yield (rng.standard_normal((3, 4)) + 1j * rng.standard_normal((3, 4)),), {}
    yield (rng.standard_normal(4) + 2j,), {"deg": True}


@pb.composite(np.divmod)
def divmod(x1, x2):
    """The floored quotient, constant between its jumps, and the remainder."""
    return x1 // x2, x1 % x2


@pb.formula(nondifferentiable=(0,))
def quotient_and_remainder(x1, x2):
    """Both as `np.divmod` has them, in one pass. The derivative is that of the remainder."""
    quotient, r = x1 // x2, x1 % x2

    def quotient_and_remainder_pullback(grad_quotient, grad):
        beyond = np.isinf(r)
        return grad, -grad * np.rint(np.where(beyond, -1, x1 - r) / np.where(beyond, 1, x2))

    return (quotient, r), quotient_and_remainder_pullback


@quotient_and_remainder.sample_inputs
def _quotient_and_remainder_inputs(rng):
    quotient = rng.integers(-3, 4, (3, 4)) + rng.uniform(0.2, 0.8, (3, 4))
    y = rng.uniform(1.0, 2.0, (3, 4))
    yield (quotient * y, y), {}


@pb.formula(nondifferentiable=(0,))
def floored_quotient(x1, x2):
    """As `np.floor_divide`, constant between its jumps."""
    quotient = x1 // x2

    def floored_quotient_pullback(grad):
        return 0 * grad, 0 * grad

    return quotient, floored_quotient_pullback


@floored_quotient.sample_inputs
def _floored_quotient_inputs(rng):
    yield from _quotient_and_remainder_inputs(rng)


@pb.composite(np.modf)
def modf(x):
    """The fraction and the whole number, which is constant between its jumps."""
    x = x * 1.0
    return np.fmod(np.where(np.isinf(x), np.copysign(0.0, x), x), 1.0), np.trunc(x)


@pb.formula(nondifferentiable=(1,))
def fraction_and_whole(x):
    """Both of a float as `np.modf` has them, in one pass: they have its sign, and infinity no fraction."""
    whole = np.trunc(x)
    finite = np.where(np.isinf(x), 0, x)
    fraction = np.copysign(finite - np.trunc(finite), x)

    def fraction_and_whole_pullback(grad, grad_whole):
        return np.where(np.isinf(x), 0, grad)

    return (fraction, whole), fraction_and_whole_pullback


@fraction_and_whole.sample_inputs
def _fraction_and_whole_inputs(rng):
    yield (rng.integers(-3, 4, (3, 4)) + rng.uniform(0.2, 0.8, (3, 4)),), {}


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
    return np.power(np.multiply(x1, np.ones((), np.float64)), x2)


@pb.composite(np.i0)
def numpy_i0(x):
    """The modified Bessel function of order 0."""
    return special.i0(x)


@pb.composite(np.sort_complex)
def sort_complex(a):
    """Sorted by real parts, then by imaginary ones."""
    return np.sort(np.astype(a, np.complex64) if a.dtype == np.complex64 else np.astype(a, np.complex128))
