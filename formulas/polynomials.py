"""Polynomials by their coefficients, the highest power first."""

import numpy as np

import pullback as pb


@pb.composite(np.polyval)
def polyval(p: pb.Tensor, x):
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
def polymul(a1: pb.Tensor, a2: pb.Tensor):
    """The coefficients of the product."""
    return np.convolve(np.reshape(a1, (-1,)), np.reshape(a2, (-1,)))


@polymul.sample_inputs
def _polymul_inputs(rng):
    yield (rng.standard_normal((3,)), rng.standard_normal((2,))), {}


@pb.composite(np.polyder)
def polyder(p: pb.Tensor, m=1):
    """The coefficients of the m-th derivative."""
    for _ in range(m):
        p = p[:-1] * np.arange(p.shape[0] - 1, 0, -1)
    return p


@polyder.sample_inputs
def _polyder_inputs(rng):
    yield (rng.standard_normal((4,)),), {"m": 2}


def _longer(a, n):
    """Coefficients with zeros before them, `n` in all."""
    flat = np.reshape(a, (-1,))
    return np.concatenate([np.zeros((n - flat.shape[0],), flat.dtype), flat])


@pb.composite(np.polyadd)
def polyadd(a1, a2):
    """The coefficients of the sum."""
    n = max(a1.size, a2.size)
    return _longer(a1, n) + _longer(a2, n)


@pb.composite(np.polysub)
def polysub(a1, a2):
    """The coefficients of the difference."""
    n = max(a1.size, a2.size)
    return _longer(a1, n) - _longer(a2, n)


@pb.composite(np.polyint)
def polyint(p, m=1, k=None):
    """The coefficients of the m-th integral, with a constant, or one for each time."""
    for i in range(m):
        if k is None:
            constant = np.zeros((1,))
        else:
            constant = np.reshape(np.ones((1,)) * (k if np.ndim(k) == 0 else k[i]), (1,))
        p = np.concatenate([p / np.arange(p.shape[0], 0, -1), constant])
    return p


@pb.composite(np.vander)
def vander(x, N=None, increasing=False):
    """The powers of each entry as a row."""
    count = x.shape[0] if N is None else N
    powers = np.arange(count) if increasing else np.arange(count - 1, -1, -1)
    return np.expand_dims(x, 1) ** powers
