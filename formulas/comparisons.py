"""Comparisons with a tolerance, and with infinity: made of the comparisons that have operators."""

import numpy as np

import pullback as pb


def _array(x):
    """An array of the numbers in a list; all else as it is."""
    return np.array(x) if isinstance(x, (tuple, list)) else x


@pb.composite(np.isclose)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """|a - b| <= atol + rtol |b| where b is finite, and equality elsewhere."""
    a, b = _array(a), 1.0 * _array(b)
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


def _of_one_shape(a, b):
    """True of arrays of the same shape, of which one may be a number."""
    if isinstance(a, (int, float, complex)):
        return np.ndim(b) == 0
    if isinstance(b, (int, float, complex)):
        return np.ndim(a) == 0
    return np.shape(a) == np.shape(b)


@pb.composite(np.array_equal)
def array_equal(a1, a2, equal_nan=False):
    """True for arrays of one shape whose entries are equal."""
    a1, a2 = _array(a1), _array(a2)
    if not _of_one_shape(a1, a2):
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
