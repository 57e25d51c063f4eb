"""Conjugates, real and imaginary parts.

A closure is the transpose of the derivative, without a conjugate: for these, which have no complex
derivative, of the linear map of both parts. With L the loss and g the gradient that arrives, the gradient
of ``dL/da + i dL/db`` by a + ib is the conjugate of what a closure gives for the conjugate of g
(Kreutz-Delgado, "The Complex Gradient Operator and the CR-Calculus", arXiv 0906.4835, section 4).
"""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(np.conj, complex=True)
def conj(x):
    """a - ib of a + ib; a real number is its own conjugate."""
    r = np.conj(x)

    def conj_pullback(grad):
        return np.conj(grad)

    return r, conj_pullback


@pb.formula(np.real, complex=True)  # type: ignore[arg-type]  # NumPy asks for a protocol
def real(val):
    """a of a + ib, copied: NumPy's is a part of the memory of `val`."""
    r = np.positive(np.real(val))

    def real_pullback(grad):
        return np.real(grad)

    return r, real_pullback


@pb.formula(np.imag, complex=True)  # type: ignore[arg-type]  # NumPy asks for a protocol
def imag(val):
    """b of a + ib, the real part of -i (a + ib), copied; 0 of a real number."""
    r = np.positive(np.imag(val))

    def imag_pullback(grad):
        return -primitives.imaginary(np.real(grad))

    return r, imag_pullback


@imag.sample_inputs
def _imag_inputs(rng):
    yield (_complex(rng),), {}


@pb.formula(primitives.imaginary, complex=True)
def imaginary(x):
    """i x."""
    r = primitives.imaginary(x)

    def imaginary_pullback(grad):
        return primitives.imaginary(grad)

    return r, imaginary_pullback


@imaginary.sample_inputs
def _imaginary_inputs(rng):
    yield (_complex(rng),), {}


def _complex(rng):
    return rng.standard_normal((2, 3)) + 1j * rng.standard_normal((2, 3))
