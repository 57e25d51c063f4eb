"""Sums of exponentials."""

import numpy as np
from scipy import special

import pullback as pb


@pb.formula(special.logsumexp, complex=True)
def logsumexp(a, *, axis=None, keepdims=False):
    """log(sum(exp(a))), computed relative to the largest term so that nothing overflows.

    Its gradient is softmax(a), of the terms and their sum: exp(a - r) would have the rounding of a large r.
    """
    largest = np.max(a, axis=axis, keepdims=True)
    offset = np.where(np.isfinite(largest), largest, 0)
    total = np.sum(np.exp(a - offset), axis=axis, keepdims=keepdims)
    r = np.log(total) + np.reshape(offset, total.shape)

    def logsumexp_pullback(grad):
        share = grad / total
        kept = keepdims or axis is None
        return np.exp(a - offset) * (share if kept else np.expand_dims(share, axis))

    return r, logsumexp_pullback


@logsumexp.sample_inputs
def _logsumexp_inputs(rng):
    a = rng.standard_normal((2, 3, 4))
    yield (a,), {}
    yield (a,), {"axis": -1}
    yield (a,), {"axis": (0, 2), "keepdims": True}
