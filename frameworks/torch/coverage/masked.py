"""Functions of the entries that a mask leaves in, with the arguments of `torch.masked`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

import pullback.numpy as np
import pullback.special as special

from .arguments import axes, cast
from .pointwise import log_softmax, softmax, softmin
from .reductions import vector_norm

_Function = Callable[..., Any]


def _filled(x: Any, mask: Any, other: Any) -> Any:
    """The entries, with `other` in the place of those that the mask leaves out."""
    return x if mask is None else np.where(mask, x, other)


def _reduction(function: _Function, other: float) -> _Function:
    def called(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
        return function(_filled(cast(x, dtype), mask, other), axis=axes(dim), keepdims=keepdim)

    return called


def _running(function: _Function, other: float) -> _Function:
    def called(x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
        x = _filled(cast(x, dtype), mask, other)
        return function(x, axis=dim) if x.ndim else x

    return called


def _share(function: _Function, other: float) -> _Function:
    def called(x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
        return function(_filled(cast(x, dtype), mask, other), dim)

    return called


def _count(x: Any, mask: Any, axis: Any) -> Any:
    whole = numpy.ones(x.shape, bool) if mask is None else numpy.broadcast_to(mask, x.shape)
    return whole.sum(axis, keepdims=True)


def _reduced(x: Any, axis: Any, keepdim: bool) -> Any:
    """A reduction along axes that are still there, of length one; they stay only with `keepdim`."""
    return x if keepdim else np.squeeze(x, tuple(range(x.ndim)) if axis is None else axis)


def _mean(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    x, axis = cast(x, dtype), axes(dim)
    total = np.sum(_filled(x, mask, 0), axis=axis, keepdims=True)
    return _reduced(total / _count(x, mask, axis), axis, keepdim)


def _variance(
    x: Any,
    dim: Any = None,
    unbiased: bool = True,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    x, axis = cast(x, dtype), axes(dim)
    count = _count(x, mask, axis)
    away = _filled(x - np.sum(_filled(x, mask, 0), axis=axis, keepdims=True) / count, mask, 0)
    total = np.sum(np.real(away * np.conj(away)), axis=axis, keepdims=True)
    found = _reduced(total / numpy.maximum(count - int(unbiased), 0), axis, keepdim)
    return np.astype(found, x.dtype)  # complex of a complex one


def _norm(
    x: Any, ord: Any = 2, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    other = numpy.inf if ord == -numpy.inf else 0.0
    return vector_norm(_filled(cast(x, dtype), mask, other), ord, dim, keepdim)


def _normalize(
    x: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Any:
    x = _filled(cast(x, dtype), mask, 0)
    return x / np.maximum(vector_norm(x, ord, dim, True), eps)


def _logaddexp(x: Any, y: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None) -> Any:
    least = -numpy.inf
    return np.logaddexp(
        _filled(cast(x, dtype), input_mask, least), _filled(cast(y, dtype), other_mask, least)
    )


TABLE: dict[str, _Function] = {
    "masked_amax": _reduction(np.max, -numpy.inf),
    "masked_amin": _reduction(np.min, numpy.inf),
    "masked_cumprod": _running(np.cumprod, 1),
    "masked_cumsum": _running(np.cumsum, 0),
    "masked_log_softmax": _share(log_softmax, -numpy.inf),
    "masked_logaddexp": _logaddexp,
    "masked_logsumexp": _reduction(special.logsumexp, -numpy.inf),
    "masked_mean": _mean,
    "masked_norm": _norm,
    "masked_normalize": _normalize,
    "masked_prod": _reduction(np.prod, 1),
    "masked_softmax": _share(softmax, -numpy.inf),
    "masked_softmin": _share(softmin, numpy.inf),
    "masked_std": lambda *args, **kwargs: np.sqrt(_variance(*args, **kwargs)),
    "masked_sum": _reduction(np.sum, 0),
    "masked_var": _variance,
}
