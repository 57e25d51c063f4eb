"""Convolution of vectors."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(np.convolve, complex=True)
def convolve(a, v, *, mode="full"):
    """r_k = sum of a_i v_(k-i), or its middle: a factor takes the gradient correlated with the other."""
    r = np.convolve(a, v, mode)

    def convolve_pullback(grad):
        whole = a.size + v.size - 1
        left = (whole - r.shape[0]) // 2
        full = primitives.unslice(grad, index=slice(left, left + r.shape[0]), shape=(whole,))
        # A number is a vector of one entry.
        by_a = np.convolve(full, np.flip(np.reshape(v, (-1,)), 0), "valid")
        by_v = np.convolve(full, np.flip(np.reshape(a, (-1,)), 0), "valid")
        return np.reshape(by_a, a.shape), np.reshape(by_v, v.shape)

    return r, convolve_pullback


@convolve.sample_inputs
def _convolve_inputs(rng):
    for mode in ("full", "same", "valid"):
        yield (rng.standard_normal((5,)), rng.standard_normal((3,))), {"mode": mode}
    yield (rng.standard_normal((2,)), rng.standard_normal((4,))), {"mode": "same"}


@pb.composite(np.correlate)
def correlate(a, v, mode="valid"):
    """A convolution with the second vector read backwards."""
    return np.convolve(a, np.flip(v), mode)


@correlate.sample_inputs
def _correlate_inputs(rng):
    yield (rng.standard_normal((5,)), rng.standard_normal((3,))), {}
