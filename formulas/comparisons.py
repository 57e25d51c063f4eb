"""Comparisons with a tolerance, and with infinity: made of the comparisons that have operators."""

import numpy as np

import pullback as pb


@pb.composite(np.isclose)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """|a - b| <= atol + rtol |b| where b is finite, and equality elsewhere."""
    b = 1.0 * b
    finite = np.isfinite(b)
    near = np.abs(a - np.where(finite, b, 0.0)) <= atol + rtol * np.abs(b)
    result = (near & finite) | (a == b)
    if equal_nan:
        result = result | (np.isnan(1.0 * a) & np.isnan(b))
    return result


@pb.composite(np.allclose)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True where all entries are close."""
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


@pb.composite(np.array_equal)
def array_equal(a1, a2, equal_nan=False):
    """True for arrays of one shape whose entries are equal."""
    if np.shape(a1) != np.shape(a2):
        return False
    same = a1 == a2
    if equal_nan:
        same = same | (np.isnan(1.0 * a1) & np.isnan(1.0 * a2))
    return bool(np.all(same))


@pb.composite(np.isposinf)
def isposinf(x):
    """True where an entry is infinity."""
    return x == np.inf


@pb.composite(np.isneginf)
def isneginf(x):
    """True where an entry is minus infinity."""
    return x == -np.inf


@pb.composite(np.count_nonzero)
def count_nonzero(a, axis=None, *, keepdims=False):
    """The number of entries that are not zero."""
    return np.sum(a != 0, axis=axis, keepdims=keepdims)
