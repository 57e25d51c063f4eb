"""Sums of exponentials."""

import numpy as np
from scipy import special

import pullback as pb


@pb.formula(special.logsumexp, complex=True)
def logsumexp(a, *, axis=None, keepdims=False):
    """log(sum(exp(a))), computed relative to the largest term so that nothing overflows.

    Its gradient is softmax(a) = exp(a - r).
    """
    largest = np.max(a, axis=axis, keepdims=True)
    offset = np.where(np.isfinite(largest), largest, 0)
    total = np.sum(np.exp(a - offset), axis=axis, keepdims=keepdims)
    r = np.log(total) + np.reshape(offset, total.shape)

    def logsumexp_pullback(grad):
        kept = keepdims or axis is None
        log_total = r if kept else np.expand_dims(r, axis)
        return np.exp(a - log_total) * (grad if kept else np.expand_dims(grad, axis))

    return r, logsumexp_pullback


@logsumexp.sample_inputs
def _logsumexp_inputs(rng):
    a = rng.standard_normal((2, 3, 4))
    yield (a,), {}
    yield (a,), {"axis": -1}
    yield (a,), {"axis": (0, 2), "keepdims": True}
