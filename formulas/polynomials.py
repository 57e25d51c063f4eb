"""Polynomials by their coefficients, the highest power first."""

import numpy as np

import pullback as pb


@pb.composite(np.polyval)
def polyval(p, x):
    """The value at x, by Horner's rule.

    >>> polyval(pb.tensor([1.0, 0.0, 2.0]), 3.0)
    tensor(11.)
    """
    y = x * 0
    for coefficient in p:
        y = y * x + coefficient
    return y


@polyval.sample_inputs
def _polyval_inputs(rng):
    yield (rng.standard_normal((3,)), rng.standard_normal((4,))), {}


@pb.composite(np.polymul)
def polymul(a1, a2):
    """The coefficients of the product."""
    return np.convolve(np.reshape(a1, (-1,)), np.reshape(a2, (-1,)))


@polymul.sample_inputs
def _polymul_inputs(rng):
    yield (rng.standard_normal((3,)), rng.standard_normal((2,))), {}


@pb.composite(np.polyder)
def polyder(p, m=1):
    """The coefficients of the m-th derivative."""
    for _ in range(m):
        p = p[:-1] * np.arange(p.shape[0] - 1, 0, -1)
    return p


@polyder.sample_inputs
def _polyder_inputs(rng):
    yield (rng.standard_normal((4,)),), {"m": 2}
