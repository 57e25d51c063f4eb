"""Places of entries: of triangles, of grids, between limits. They are whole numbers and have no gradients."""

import math

import numpy as np

import pullback as pb


def _triangle(n):
    """The entries of the triangle of n rows, the first of which has one."""
    many = max(n, 0)
    return many * (many + 1) // 2


def _of_triangle(n, m, k):
    """The entries on and above diagonal k of n rows of m: those of triangles that stand out are taken off."""
    return _triangle(m - k) - _triangle(m - k - n) - _triangle(-k) + _triangle(-k - n)


def _of_rows(counts, starts, total):
    """The places of the first `counts` entries of each row from its start on, `total` in all."""
    ends, each = np.cumsum(counts), np.arange(total)
    rows = np.searchsorted(ends, each, side="right")
    return rows, each - (ends - counts - starts)[rows]


@pb.composite(np.tril_indices)
def tril_indices(n, k=0, m=None):
    """The places on and below diagonal `k` of n rows, which are as long as there are rows, or `m`."""
    length = n if m is None else m
    counts = np.clip(np.arange(n) + (k + 1), 0, length)
    return _of_rows(counts, 0 * counts, n * length - _of_triangle(n, length, k + 1))


@pb.composite(np.triu_indices)
def triu_indices(n, k=0, m=None):
    """The places on and above diagonal `k` of n rows, which are as long as there are rows, or `m`."""
    length = n if m is None else m
    starts = np.clip(np.arange(n) + k, 0, length)
    return _of_rows(length - starts, starts, _of_triangle(n, length, k))


@pb.composite(np.tril_indices_from)
def tril_indices_from(arr, k=0):
    """The places on and below diagonal `k` of a matrix."""
    return np.tril_indices(arr.shape[-2], k, arr.shape[-1])


@pb.composite(np.triu_indices_from)
def triu_indices_from(arr, k=0):
    """The places on and above diagonal `k` of a matrix."""
    return np.triu_indices(arr.shape[-2], k, arr.shape[-1])


@pb.composite(np.diag_indices_from)
def diag_indices_from(arr):
    """The places on the diagonal of a square matrix."""
    if arr.ndim != 2 or arr.shape[0] != arr.shape[1]:
        raise ValueError("a formula takes np.diag_indices_from of a square matrix: write np.diag_indices")
    return np.diag_indices(arr.shape[0])


def _along(shape, k, entries):
    """The place along axis k of entries in row-major order."""
    return entries // math.prod(shape[k + 1 :]) % shape[k]


@pb.composite(np.indices)
def indices(dimensions):
    """The place of each entry of an array of these lengths, along a new first axis."""
    entries = np.arange(math.prod(dimensions))
    found = [_along(dimensions, k, entries) for k in range(len(dimensions))]
    return np.reshape(np.stack(found), (-1, *dimensions))


@pb.composite(np.ix_)
def ix_(*args):
    """Each vector of places along an axis of its own; a mask as the places where it holds."""
    found = []
    for k in range(len(args)):
        places = np.asarray(args[k])
        if places.dtype == np.bool_:
            places = np.flatnonzero(places)
        found.append(np.reshape(places, (1,) * k + (-1,) + (1,) * (len(args) - 1 - k)))
    return tuple(found)
