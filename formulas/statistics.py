"""Averages with weights, covariances and correlations."""

import numpy as np

import pullback as pb


def _totals(a, axis, weights, keepdims):
    """The weighted sum of the entries, and the sum of the weights."""
    if axis is None or np.ndim(weights) == np.ndim(a):
        # Both have the size of their product: that is, one shape.
        if np.ndim(weights) != np.ndim(a) or np.size(weights) != np.size(a):
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        product = a * weights
        if np.size(product) != np.size(a):
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        found = np.sum(product, axis=axis, keepdims=keepdims)
        return found, np.sum(weights, axis=axis, keepdims=keepdims)
    if np.ndim(axis) > 0 or np.ndim(weights) != 1 or np.shape(weights)[0] != a.shape[axis]:
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    found = np.sum(np.moveaxis(a, axis, -1) * weights, axis=-1)
    found = np.expand_dims(found, axis) if keepdims else found
    return found, np.sum(weights) * np.ones_like(found)


@pb.composite(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """A mean, or one with weights.

    >>> average(pb.tensor([1.0, 3.0]), weights=pb.tensor([3.0, 1.0]))
    tensor(1.5)
    """
    if weights is None:
        found = np.mean(a, axis=axis, keepdims=keepdims)
        total = np.sum(np.ones_like(a), axis=axis, keepdims=keepdims)
    else:
        found, total = _totals(a, axis, weights, keepdims)
        found = found / total
    return (found, total) if returned else found


def _rows(m, rowvar):
    """Variables as rows, in float64; a vector is one of them."""
    if m.dtype == np.complex128 or m.dtype == np.complex64:
        raise TypeError("covariances of complex numbers have no formula: take those of m.real and m.imag")
    m = np.astype(m, np.float64)
    if m.ndim < 2:
        return np.reshape(m, (1, -1))
    return m if rowvar or m.shape[0] == 1 else m.T


@pb.composite(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """Covariances of variables, which are rows."""
    x = _rows(m, rowvar)
    if y is not None:
        x = np.concatenate([x, _rows(y, rowvar)], 0)
    fewer = (0 if bias else 1) if ddof is None else ddof
    if fweights is None and aweights is None:
        centred = x - np.mean(x, axis=1, keepdims=True)
        return np.squeeze(np.matmul(centred, centred.T) / (x.shape[1] - fewer))
    if fweights is None:
        weights = aweights
    elif aweights is None:
        weights = fweights
    else:
        weights = fweights * aweights
    many = np.sum(weights)
    share = many - fewer
    if aweights is not None:
        share = many - fewer * np.sum(weights * aweights) / many
    centred = x - np.expand_dims(np.sum(x * weights, axis=1) / many, -1)
    return np.squeeze(np.matmul(centred, (centred * weights).T) / share)


@pb.composite(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    """Covariances over the deviations of both."""
    c = np.cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    deviation = np.sqrt(np.diagonal(c))
    return np.clip(c / np.expand_dims(deviation, 1) / np.expand_dims(deviation, 0), -1, 1)
