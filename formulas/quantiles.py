"""Quantiles and percentiles: entries at places of the sorted order, and means of two of them."""

import math

import numpy as np

import pullback as pb
from pullback import primitives


def _check(q, method):
    if q < 0 or q > 1:
        raise ValueError("Quantiles must be in the range [0, 1]")
    if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise ValueError(
            f"quantiles are 'linear', 'lower', 'higher', 'midpoint' or 'nearest' in a formula, not {method!r}"
        )


def _between(low, high, share, method):
    """A value between two neighbours; `share` is the distance from the lower one."""
    if method == "midpoint":
        return low + (high - low) * (0.5 if share > 0 else 0.0)
    return low + (high - low) * share


def _at(ordered, q, method):
    """The entry at a place of a sorted last axis."""
    _check(q, method)
    last = ordered.shape[-1] - 1
    place = last * q
    below = math.floor(place)
    share = place - below
    above = min(below + 1, last)
    if method == "lower":
        return ordered[..., below]
    if method == "higher":
        return ordered[..., above if share > 0 else below]
    if method == "nearest":
        up = share > 0.5 or (share == 0.5 and below % 2 == 1)
        return ordered[..., above if up else below]
    return _between(ordered[..., below], ordered[..., above], share, method)


def _whole(r, a, axis, keepdims):
    """The result with the axes that were reduced, where they are to be kept."""
    if not keepdims:
        return r
    return np.reshape(r, (1,) * a.ndim) if axis is None else np.expand_dims(r, axis)


@pb.composite(np.quantile)
def quantile(a: pb.Tensor, q: pb.Tensor, axis=None, *, method="linear", keepdims=False):
    """The entry at a share `q` of the sorted order; NaN where there is one.

    >>> quantile(pb.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3.)
    """
    ordered = np.sort(primitives.flatten_axes(a, axis=axis), -1)
    missing = np.isnan(ordered[..., -1])
    if np.ndim(q) == 0:
        return _whole(np.where(missing, np.nan, _at(ordered, q, method)), a, axis, keepdims)
    return np.stack(
        [_whole(np.where(missing, np.nan, _at(ordered, each, method)), a, axis, keepdims) for each in q]
    )


@pb.composite(np.percentile)
def percentile(a: pb.Tensor, q: pb.Tensor, axis=None, *, method="linear", keepdims=False):
    """Quantiles of a share in hundredths."""
    shares = q / 100 if np.ndim(q) == 0 else [each / 100 for each in q]
    return np.quantile(a, shares, axis, method=method, keepdims=keepdims)


def _of_numbers(ordered, q, method):
    """The entry at a place of a sorted last axis, at the end of which NaN may stand."""
    _check(q, method)
    count = np.sum(np.where(np.isnan(ordered), 0, 1), axis=-1, keepdims=True)
    last = np.maximum(count - 1, 0)
    place = last * q
    below = np.floor(place)
    share = place - below
    if method == "lower":
        share = np.zeros_like(share)
    elif method == "higher":
        share = np.ceil(share)
    elif method == "midpoint":
        share = np.ceil(share) / 2
    elif method == "nearest":
        below, share = np.round(place), np.zeros_like(share)
    above = np.minimum(below + 1, last)
    low = np.take_along_axis(ordered, np.astype(below, np.int64), -1)
    high = np.take_along_axis(ordered, np.astype(above, np.int64), -1)
    found = low + (high - low) * np.astype(share, low.dtype)
    return np.where(count == 0, np.nan, found)[..., 0]


@pb.composite(np.nanquantile)
def nanquantile(a, q, axis=None, *, method="linear", keepdims=False):
    """Quantiles of the entries that are numbers."""
    ordered = np.sort(primitives.flatten_axes(a, axis=axis), -1)
    if np.ndim(q) == 0:
        return _whole(_of_numbers(ordered, q, method), a, axis, keepdims)
    return np.stack([_whole(_of_numbers(ordered, each, method), a, axis, keepdims) for each in q])


@pb.composite(np.nanpercentile)
def nanpercentile(a, q, axis=None, *, method="linear", keepdims=False):
    """Percentiles of the entries that are numbers."""
    shares = q / 100 if np.ndim(q) == 0 else [each / 100 for each in q]
    return np.nanquantile(a, shares, axis, method=method, keepdims=keepdims)


@pb.composite(np.nanmedian)
def nanmedian(a, axis=None, *, keepdims=False):
    """The middle of the entries that are numbers."""
    return np.nanquantile(a, 0.5, axis, keepdims=keepdims)
