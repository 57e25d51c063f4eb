"""Reductions of the entries that are numbers: what is none is replaced by what the reduction does not see."""

import numpy as np

import pullback as pb


def _without(a, otherwise, dtype=None):
    """The entries, another one in the place of NaN."""
    r = np.where(np.isnan(a), otherwise, a)
    return r if dtype is None else np.astype(r, dtype)


def _numbers(a):
    """One for each entry that is a number, in the type of the entries."""
    return np.where(np.isnan(a), np.zeros_like(a), np.ones_like(a))


@pb.composite(np.nansum)
def nansum(a, axis=None, dtype=None, *, keepdims=False):
    """The sum of the numbers."""
    return np.sum(_without(a, 0, dtype), axis=axis, keepdims=keepdims)


@pb.composite(np.nanprod)
def nanprod(a, axis=None, dtype=None, *, keepdims=False):
    """The product of the numbers."""
    return np.prod(_without(a, 1, dtype), axis=axis, keepdims=keepdims)


@pb.composite(np.nancumsum)
def nancumsum(a, axis=None, dtype=None):
    """Running sums of the numbers."""
    return np.cumsum(_without(a, 0, dtype), axis)


@pb.composite(np.nancumprod)
def nancumprod(a, axis=None, dtype=None):
    """Running products of the numbers."""
    return np.cumprod(_without(a, 1, dtype), axis)


@pb.composite(np.nanmean)
def nanmean(a, axis=None, *, keepdims=False):
    """The mean of the numbers, NaN where there is none."""
    count = np.sum(_numbers(a), axis=axis, keepdims=keepdims)
    return np.sum(_without(a, 0), axis=axis, keepdims=keepdims) / count


@pb.composite(np.nanvar)
def nanvar(a, axis=None, *, ddof=0, keepdims=False):
    """The mean square of what the numbers differ from their mean; NaN where they are too few."""
    centred = np.where(np.isnan(a), 0, a - np.nanmean(a, axis, keepdims=True))
    share = np.sum(_numbers(a), axis=axis, keepdims=keepdims) - ddof
    r = np.sum(centred * centred, axis=axis, keepdims=keepdims) / np.where(share > 0, share, 1)
    return np.where(share > 0, r, np.nan)


@pb.composite(np.nanstd)
def nanstd(a, axis=None, *, ddof=0, keepdims=False):
    """The square root of `np.nanvar`."""
    return np.sqrt(np.nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def _is_float(a):
    return a.dtype == np.float64 or a.dtype == np.float32 or a.dtype == np.float16


@pb.composite(np.nanmax)
def nanmax(a, axis=None, *, keepdims=False):
    """The largest number, NaN where there is none."""
    if not _is_float(a):
        return np.max(a, axis=axis, keepdims=keepdims)
    r = np.max(_without(a, -np.inf), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, r)


@pb.composite(np.nanmin)
def nanmin(a, axis=None, *, keepdims=False):
    """The smallest number, NaN where there is none."""
    if not _is_float(a):
        return np.min(a, axis=axis, keepdims=keepdims)
    r = np.min(_without(a, np.inf), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, r)
