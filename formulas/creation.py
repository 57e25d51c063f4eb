"""Arrays made of numbers."""

import numpy as np

import pullback as pb


@pb.composite(np.identity)
def identity(n, dtype=None):
    """The square matrix of `n` rows with ones on its diagonal, zeros elsewhere."""
    return np.eye(n, dtype=dtype)


@identity.sample_inputs
def _identity_inputs(rng):
    yield (3,), {}
