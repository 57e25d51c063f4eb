"""Quantiles and percentiles: entries at places of the sorted order, and means of two of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ...calls.call import arrays
from .table import stands_for

# How far between the entries below and above; None takes it as it is.
_BETWEEN = {
    "linear": None,
    "lower": lambda share: np.zeros_like(share),
    "higher": lambda share: np.where(share > 0, 1.0, 0.0),
    "midpoint": lambda share: np.where(share > 0, 0.5, 0.0),
    "nearest": None,
}


def _quantiles(a: Any, q: Any, axis: Any, method: str, keepdims: bool, skip_nan: bool) -> Any:
    if method not in _BETWEEN:
        raise ValueError(
            f"quantiles of tensors take the methods {', '.join(map(repr, _BETWEEN))}, not {method!r}"
        )
    q = np.asarray(arrays(q), float)
    if np.any((q < 0) | (q > 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    reduced = tuple(1 if k in axes else n for k, n in enumerate(a.shape))
    merged = np.moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    merged = np.reshape(merged, (*merged.shape[: a.ndim - len(axes)], _length(a, axes)))
    ordered = np.sort(merged, axis=-1)
    missing = np.isnan(arrays(ordered))
    count = (
        np.sum(~missing, axis=-1, keepdims=True)
        if skip_nan
        else np.full((*ordered.shape[:-1], 1), ordered.shape[-1])
    )
    place = np.maximum(count - 1, 0) * q.reshape(-1)
    below = np.floor(place)
    share = place - below
    if method == "nearest":
        below, share = np.round(place), np.zeros_like(place)
    between = _BETWEEN[method]
    share = share if between is None else between(share)
    above = np.minimum(below + 1, np.maximum(count - 1, 0))
    low, high = (np.take_along_axis(ordered, each.astype(np.intp), -1) for each in (below, above))
    found = (
        low + (high - low) * share.astype(low.dtype) if low.dtype.kind == "f" else low + (high - low) * share
    )
    spoiled = (count == 0) if skip_nan else missing.any(axis=-1, keepdims=True)
    if spoiled.any():
        found = np.where(spoiled, np.nan, found)
    found = np.moveaxis(found, -1, 0)
    shape = reduced if keepdims else tuple(n for k, n in enumerate(a.shape) if k not in axes)
    return np.reshape(found, (*q.shape, *shape))


def _length(a: Any, axes: tuple[int, ...]) -> int:
    """The number of entries along the axes."""
    return math.prod(a.shape[k] for k in axes)


@stands_for(np.quantile)
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Any:
    """As `np.quantile`, by the methods "linear", "lower", "higher", "midpoint" and "nearest".

    >>> import pullback as pb
    >>> quantile(pb.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3.)
    """
    return _quantiles(a, q, axis, method, keepdims, skip_nan=False)


@stands_for(np.nanquantile)
def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Any:
    """As `np.nanquantile`: of the entries that are numbers."""
    return _quantiles(a, q, axis, method, keepdims, skip_nan=True)


@stands_for(np.percentile)
def percentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """As `np.percentile`."""
    return quantile(a, np.asarray(arrays(q)) / 100, *args, **kwargs)


@stands_for(np.nanpercentile)
def nanpercentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """As `np.nanpercentile`."""
    return nanquantile(a, np.asarray(arrays(q)) / 100, *args, **kwargs)


@stands_for(np.nanmedian)
def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    """As `np.nanmedian`: of bools as of numbers, and NaN of nothing."""
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    if a.dtype.kind == "b":
        a = a.astype(np.float64)
    if _length(a, axes) == 0:
        return np.mean(a, axis=axes, keepdims=keepdims)
    return _quantiles(a, 0.5, axes, "linear", keepdims, skip_nan=True)
