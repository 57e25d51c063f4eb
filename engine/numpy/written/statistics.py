"""Averages, spreads and correlations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ...calls.call import arrays, operators
from ...core.dispatch import engine_of
from ..signatures.arguments import cast
from .table import stands_for


@stands_for(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """As `np.average`: a mean, or one with weights."""
    if weights is None:
        found = operators.mean(a, axis=axis, keepdims=keepdims)
        if not returned:
            return found
        return found, np.full(found.shape, a.size // max(found.size, 1), found.dtype)
    a, weights = (given if hasattr(given, "shape") else np.asarray(given) for given in (a, weights))
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        along = normalize_axis_tuple(axis, a.ndim)
        missing = tuple(k for k in range(a.ndim) if k not in along)
        weights = operators.broadcast_to(operators.expand_dims(weights, axis=missing), shape=a.shape)
    total = operators.sum(weights, axis=axis, keepdims=keepdims)
    if np.count_nonzero(arrays(total)) < total.size:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    found = operators.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (found, total) if returned else found


def _observations(m: Any, y: Any, rowvar: bool) -> Any:
    """Variables as rows; those of `y` below those of `m`."""
    parts = [np.atleast_2d(part) for part in (m, y) if part is not None]
    parts = [part.T if not rowvar and part.shape[0] != 1 else part for part in parts]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, 0)


@stands_for(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """As `np.cov`: covariances of variables, which are rows; float64 unless `dtype` says otherwise."""
    x = _observations(m, y, rowvar)
    x = cast(x, np.result_type(x.dtype, np.float64) if dtype is None else dtype)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = None
    for given in (fweights, aweights):
        if given is not None:
            given = given if hasattr(given, "dtype") else np.asarray(given)
            if given.ndim != 1:
                raise ValueError("np.cov takes weights of observations as vectors")
            weights = given * 1.0 if weights is None else weights * given
    many: Any = x.shape[1] if weights is None else np.sum(weights)
    share = many - ddof
    if aweights is not None and ddof != 0:
        share = many - ddof * np.sum(weights * aweights) / many
    if engine_of(share) is None and share <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=4)
        share = 0.0
    centred = x - average(x, 1, weights, keepdims=True)
    scaled = centred if weights is None else centred * weights
    conjugated = np.conjugate(scaled) if x.dtype.kind == "c" else scaled
    return operators.squeeze(operators.matmul(centred, conjugated.T) / share)


@stands_for(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """As `np.corrcoef`: covariances over the deviations of both."""
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = operators.sqrt(operators.diagonal(c).real)
    c = c / deviation[:, None] / deviation
    if c.dtype.kind == "c":
        return np.clip(c.real, -1, 1) + 1j * np.clip(c.imag, -1, 1)
    return operators.clip(c, -1, 1)


@stands_for(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """As `np.bincount`: the sum of the weights of each whole number."""
    places, minlength = np.asarray(arrays(x)), arrays(minlength)
    if weights is None or not hasattr(weights, "requires_grad"):
        return _counted(x, np.bincount(places, weights, minlength))
    length = max(int(places.max()) + 1 if places.size else 0, minlength)
    if weights.dtype.kind == "c":
        raise TypeError(f"np.bincount takes real weights, not {weights.dtype}")
    return operators.unslice(cast(weights, np.float64), index=places, shape=(length,))


def _counted(x: Any, counts: Any) -> Any:
    return x.__array_namespace__().asarray(counts)
