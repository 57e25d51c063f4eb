"""Quantiles and percentiles: entries at places of the sorted order, and means of two of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ...calls.call import arrays
from ...core.dispatch import engine_of
from ...transforms.forward_ad import differentiated
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
    shares, q = q, np.asarray(arrays(q), float)
    if np.any((q < 0) | (q > 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    engine = engine_of(a, shares)
    if engine is not None and engine_of(a) is None:
        a = engine.from_numpy(np.asarray(a))
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    reduced = tuple(1 if k in axes else n for k, n in enumerate(a.shape))
    last = tuple(range(a.ndim - len(axes), a.ndim))
    merged = a if axes == last else np.moveaxis(a, axes, last)
    if len(axes) != 1:
        merged = np.reshape(merged, (*merged.shape[: a.ndim - len(axes)], _length(a, axes)))
    if skip_nan and merged.shape[-1] == 0:
        merged = np.full_like(merged, np.nan, shape=(*merged.shape[:-1], 1))
    ordered = np.sort(merged, axis=-1)
    shape = reduced if keepdims else tuple(n for k, n in enumerate(a.shape) if k not in axes)
    # A Python number takes the array's dtype.
    weak = isinstance(shares, (int, float)) and not isinstance(shares, np.generic)
    if weak and not skip_nan and ordered.shape[-1]:
        found = _one_quantile(ordered, float(q), method)
        return np.reshape(found, shape) if keepdims else found
    missing = np.isnan(arrays(ordered))
    count = (
        np.sum(~missing, axis=-1, keepdims=True)
        if skip_nan
        else np.full((*ordered.shape[:-1], 1), ordered.shape[-1])
    )
    place = np.maximum(count - 1, 0) * q.reshape(-1)
    below = np.floor(place)
    if method == "linear" and differentiated((shares,)):
        place = np.maximum(count - 1, 0) * np.reshape(shares, (-1,))
    share = place - below
    if method == "nearest":
        below, share = np.round(place), np.zeros_like(place)
    between = _BETWEEN[method]
    share = share if between is None else between(share)
    above = np.minimum(below + 1, np.maximum(count - 1, 0))
    low, high = (np.take_along_axis(ordered, each.astype(np.intp), -1) for each in (below, above))
    if method in ("lower", "nearest"):
        found = low
    elif method == "higher":
        found = np.where(share > 0, high, low)
    else:
        found = low + (high - low) * _share_in(share, low.dtype, weak)
    spoiled = (count == 0) if skip_nan else missing.any(axis=-1, keepdims=True)
    if spoiled.any():
        found = np.where(spoiled, np.nan, found)
    found = np.moveaxis(found, -1, 0)
    return np.reshape(found, (*q.shape, *shape))


def _one_quantile(ordered: Any, q: float, method: str) -> Any:
    """The quantile of a Python number: entries in one place each, NaN where the last one is."""
    last = ordered.shape[-1] - 1
    place = last * q
    below = math.floor(place)
    share = place - below
    low, high = ordered[..., below], ordered[..., min(below + 1, last)]
    if method == "nearest":
        found = ordered[..., round(place)]
    elif method == "lower" or method == "higher":
        found = high if method == "higher" and share > 0 else low
    else:
        share = share if method == "linear" else 0.5 * (share > 0)
        found = low + (high - low) * share
    spoiled = np.isnan(arrays(ordered)[..., -1])
    return np.where(spoiled, np.nan, found) if np.any(spoiled) else found


def _share_in(share: Any, dtype: Any, weak: bool) -> Any:
    """The shares in the precision that the entries have, where they are those of a Python number."""
    if not weak or dtype.kind not in "fc":
        return share
    return np.astype(share, np.empty(0, dtype).real.dtype)


def _length(a: Any, axes: tuple[int, ...]) -> int:
    """The number of entries along the axes."""
    return math.prod(a.shape[k] for k in axes)


def _refuse_complex(a: Any) -> None:
    """Refuse a quantile of complex values, of which there are medians only."""
    if np.iscomplexobj(arrays(a)):
        raise TypeError("a must be an array of real numbers")


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

    Differentiable in `q` too, by "linear"; by the others the result is constant in it between its jumps.

    >>> import pullback as pb
    >>> quantile(pb.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3.)
    """
    _refuse_complex(a)
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
    _refuse_complex(a)
    return _quantiles(a, q, axis, method, keepdims, skip_nan=True)


def _hundredths(q: Any) -> Any:
    if isinstance(q, (int, float)) or engine_of(q) is not None:
        return q / 100
    return np.asarray(q) / 100


@stands_for(np.percentile)
def percentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """As `np.percentile`."""
    return quantile(a, _hundredths(q), *args, **kwargs)


@stands_for(np.nanpercentile)
def nanpercentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """As `np.nanpercentile`."""
    return nanquantile(a, _hundredths(q), *args, **kwargs)


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
