"""Windows that a stretch of a signal is multiplied by, of a length alone."""

import numpy as np
from scipy import special

import pullback as pb


def _turns(M):
    """Places from -1 to 1; of a single one its middle."""
    return (2.0 * np.arange(M) + (1 - M)) / max(M - 1, 1)


@pb.composite(np.hanning)
def hanning(M):
    """A raised cosine, which is 0 at its ends."""
    return 0.5 + 0.5 * np.cos(np.pi * _turns(M))


@pb.composite(np.hamming)
def hamming(M):
    """A raised cosine on a base of 0.08."""
    return 0.54 + 0.46 * np.cos(np.pi * _turns(M))


@pb.composite(np.blackman)
def blackman(M):
    """Two cosines, that of twice the frequency lowers the side lobes."""
    n = _turns(M)
    return 0.42 + 0.5 * np.cos(np.pi * n) + 0.08 * np.cos(2.0 * np.pi * n)


@pb.composite(np.bartlett)
def bartlett(M):
    """A triangle, which is 0 at its ends."""
    return 1.0 - np.abs(_turns(M))


@pb.composite(np.kaiser)
def kaiser(M, beta):
    """Kaiser's approximation of the window with the most energy in the main lobe."""
    n = _turns(M)
    return special.i0(beta * np.sqrt(1.0 - n * n)) / special.i0(float(beta))


@hanning.sample_inputs
@hamming.sample_inputs
@blackman.sample_inputs
@bartlett.sample_inputs
def _window_inputs(rng):
    yield (4,), {}


@kaiser.sample_inputs
def _kaiser_inputs(rng):
    yield (4, 8.6), {}
