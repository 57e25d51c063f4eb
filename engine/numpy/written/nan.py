"""Reductions of the entries that are numbers: what is none is replaced by what the reduction does not see."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...calls.call import arrays, call, operators
from ..signatures.arguments import mask_of
from ..signatures.reductions import root_of_variance
from .table import stands_for


def _without(a: Any, otherwise: Any) -> Any:
    """The entries, another one in the place of NaN."""
    nan = np.isnan(arrays(a))
    return np.where(nan, otherwise, a) if nan.any() else a


def _has_nan(found: Any) -> bool:
    values = found._array
    if values.ndim:
        return bool(np.count_nonzero(np.isnan(values)))
    value = values.item()
    return bool(value != value)


def _numbers(a: Any, where: Any) -> Any:
    """The mask of the entries that are numbers and enter the result."""
    return np.logical_and(~np.isnan(arrays(a)), arrays(mask_of(where)))


def _of_numbers(op: str, otherwise: float, a: Any, axis: Any, args: Any, kwargs: Any) -> Any:
    """A reduction of all entries, which is NaN where one is; then of those that are numbers."""
    if not args and kwargs.keys() <= {"keepdims"}:
        found = call(op, a, axis=axis, **kwargs)
        if not _has_nan(found):
            return found
    return call(op, _without(a, otherwise), axis, *args, **kwargs)


def _refuse_whole_numbers(a: Any, dtype: Any) -> None:
    """Refuse a mean of floats in whole numbers, as NumPy does where it leaves NaN out."""
    if dtype is not None and a.dtype.kind in "fc" and np.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")


@stands_for(np.nansum)
def nansum(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
    """As `np.nansum`."""
    return _of_numbers("sum", 0, a, axis, args, kwargs)


@stands_for(np.nanprod)
def nanprod(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
    """As `np.nanprod`."""
    return _of_numbers("prod", 1, a, axis, args, kwargs)


@stands_for(np.nancumsum)
def nancumsum(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
    """As `np.nancumsum`."""
    return operators.cumsum(_without(a, 0), axis, *args, **kwargs)


@stands_for(np.nancumprod)
def nancumprod(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
    """As `np.nancumprod`."""
    return operators.cumprod(_without(a, 1), axis, *args, **kwargs)


@stands_for(np.nanmean)
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    """As `np.nanmean`."""
    _refuse_whole_numbers(a, dtype)
    if where is True and dtype is None and a.ndim and a.size:
        found = operators.mean(a, axis=axis, keepdims=keepdims)
        if not _has_nan(found):
            return found
    return operators.mean(a, axis, dtype, out, keepdims, where=_numbers(a, where))


@stands_for(np.nanvar)
def nanvar(a: Any, axis: Any = None, dtype: Any = None, *args: Any, where: Any = True, **kwargs: Any) -> Any:
    """As `np.nanvar`."""
    _refuse_whole_numbers(a, dtype)
    mask = _numbers(a, where)
    return operators.var(_without(a, 0), axis, dtype, *args, where=mask, **kwargs)


@stands_for(np.nanstd)
def nanstd(a: Any, axis: Any = None, *args: Any, where: Any = True, **kwargs: Any) -> Any:
    """As `np.nanstd`."""
    return root_of_variance(nanvar(a, axis, *args, where=where, **kwargs))


def _extremum(op: str, otherwise: float, a: Any, axis: Any, args: Any, kwargs: Any) -> Any:
    if a.dtype.kind in "biu" or "initial" in kwargs:  # whole numbers, or never without a result
        return call(op, a if a.dtype.kind in "biu" else _without(a, otherwise), axis, *args, **kwargs)
    found = call(op, _without(a, otherwise), axis, *args, **kwargs)
    nothing = np.isnan(arrays(a)).all(axis=axis, keepdims=found.ndim == a.ndim)
    if not np.any(nothing):
        return found
    warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=4)
    return np.where(nothing, np.nan, found)


@stands_for(np.nanmax)
def nanmax(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
    """As `np.nanmax`."""
    return _extremum("max", -np.inf, a, axis, args, kwargs)


@stands_for(np.nanmin)
def nanmin(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
    """As `np.nanmin`."""
    return _extremum("min", np.inf, a, axis, args, kwargs)
