"""Reductions, running ones, and orders of entries, with PyTorch's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

import pullback.numpy as np
import pullback.special as special

from .arguments import axes, cast, values_of


def axes_of(x: Any, dim: Any) -> Any:
    """The axes of a reduction: PyTorch lets an array without axes have one."""
    return axes(dim) if x.ndim else None


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        return function(cast(x, dtype), axis=axes_of(x, dim), keepdims=keepdim)

    return called


def _corrected(x: Any, dim: Any = None, unbiased: Any = True, keepdim: bool = False, **options: Any) -> Any:
    """The arguments of a variance: axes, whether they are kept, and the correction."""
    if isinstance(dim, bool):  # `unbiased` may come first
        dim, unbiased = None, dim
    correction = options.get("correction", 1 if unbiased else 0)
    return {"axis": axes(dim), "ddof": 1 if correction is None else correction, "keepdims": keepdim}


def _var(*args: Any, **kwargs: Any) -> Any:
    return np.var(args[0], **_corrected(*args, **kwargs))


def _std(*args: Any, **kwargs: Any) -> Any:
    return np.std(args[0], **_corrected(*args, **kwargs))


def _mean_of(*args: Any, **kwargs: Any) -> Any:
    options = _corrected(*args, **kwargs)
    return np.mean(args[0], axis=options["axis"], keepdims=options["keepdims"])


def picked(x: Any, order: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The entries at one place per row, and the places."""
    places = numpy.expand_dims(order, dim)
    found = np.take_along_axis(x, places, dim)
    return (found, places) if keepdim else (np.squeeze(found, dim), order)


def _scalar(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for an array without axes, which has one row."""

    def called(x: Any, *args: Any, **kwargs: Any) -> Any:
        if x.ndim:
            return function(x, *args, **kwargs)
        found = function(np.reshape(x, (1,)), *args, **kwargs)
        return (
            tuple(np.reshape(each, ()) for each in found)
            if isinstance(found, tuple)
            else np.reshape(found, ())
        )

    return called


def _extreme(whole: Callable[..., Any], place: Callable[..., Any]) -> Callable[..., Any]:
    @_scalar
    def called(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
        return whole(x) if dim is None else picked(x, place(values_of(x), dim), dim, keepdim)

    return called


@_scalar
def kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Any, Any]:
    """The k-th smallest entry of each row, and where it is."""
    return picked(x, numpy.take(_order(x, dim), k - 1, dim), dim, keepdim)


def _order(x: Any, dim: int, descending: bool = False) -> Any:
    entries = values_of(x)
    return numpy.argsort(-entries if descending else entries, dim, stable=True)


def _median(ignored: bool) -> Callable[..., Any]:
    """The lower of two in the middle; nan is one where it is not ignored."""

    def called(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
        if dim is None:
            return called(np.reshape(x, (-1,)), 0)[0]
        entries = values_of(x)
        missing = numpy.isnan(entries)
        count = (~missing if ignored else numpy.ones_like(missing)).sum(dim, keepdims=True)
        middle = numpy.maximum(count - 1, 0) // 2
        if not ignored:
            middle = numpy.where(missing.any(dim, keepdims=True), entries.shape[dim] - 1, middle)
        return picked(x, numpy.take_along_axis(_order(x, dim), middle, dim).squeeze(dim), dim, keepdim)

    return _scalar(called)


@_scalar
def topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    """The largest or smallest entries of each row in order, and where they are."""
    order = numpy.take(_order(x, dim, largest), range(k), dim)
    return np.take_along_axis(x, order, dim), order


@_scalar
def sort(x: Any, dim: int = -1, descending: bool = False, stable: bool = True) -> tuple[Any, Any]:
    """The entries of each row in order, and where they were."""
    order = _order(x, dim, descending)
    return np.take_along_axis(x, order, dim), order


@_scalar
def _mode(x: Any, dim: int = -1, keepdim: bool = False) -> tuple[Any, Any]:
    """The entry that is there most often, the smallest of several; where it is last."""

    def place(row: Any) -> Any:
        found, counts = numpy.unique(row, return_counts=True)
        return numpy.flatnonzero(row == found[counts.argmax()])[-1]

    return picked(x, numpy.apply_along_axis(place, dim, values_of(x)), dim, keepdim)


def _running(better: Callable[..., Any]) -> Callable[..., Any]:
    @_scalar
    def called(x: Any, dim: int) -> tuple[Any, Any]:
        entries = numpy.moveaxis(values_of(x), dim, 0)
        places = numpy.zeros(entries.shape, int)
        for k in range(1, len(entries)):
            before = numpy.take_along_axis(entries, places[k - 1 : k], 0)[0]
            places[k] = numpy.where(better(entries[k], before), k, places[k - 1])
        places = numpy.moveaxis(places, 0, dim)
        return np.take_along_axis(x, places, dim), places

    return called


def _cumulated(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim, dtype=None: function(cast(x, dtype), axis=dim) if x.ndim else cast(x, dtype)


@_scalar
def _logcumsumexp(x: Any, dim: int) -> Any:
    rows = np.moveaxis(x, dim, 0)
    found = [rows[0]]
    for k in range(1, len(rows)):
        found.append(np.logaddexp(found[-1], rows[k]))
    return np.moveaxis(np.stack(found), 0, dim)


def _quantile(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(
        x: Any, q: Any, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear"
    ) -> Any:
        return function(x, q, axis=axes_of(x, dim), keepdims=keepdim, method=interpolation)

    return called


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The norm of all entries, or along axes."""
    return np.linalg.vector_norm(cast(x, dtype), axis=axes(dim), keepdims=keepdim, ord=ord)


def norm(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Of vectors for a number, of matrices for a name."""
    if p == "nuc":
        dim = (0, 1) if dim is None else dim
        return np.linalg.matrix_norm(_last(cast(x, dtype), dim), ord="nuc", keepdims=False)
    return vector_norm(x, 2 if p in ("fro", None) else p, dim, keepdim, dtype)


def _last(x: Any, dim: Any) -> Any:
    return np.moveaxis(x, tuple(dim), (-2, -1))


def _renorm(x: Any, p: float, dim: int, maxnorm: float) -> Any:
    others = tuple(k for k in range(x.ndim) if k != dim % x.ndim)
    size = np.linalg.vector_norm(x, axis=others, keepdims=True, ord=p)
    return np.where(values_of(size) > maxnorm, x * (maxnorm / (size + 1e-7)), x)


def _trapezoid(y: Any, x: Any = None, dim: int = -1, dx: float = 1) -> Any:
    return np.trapezoid(y, x, dx, dim)


def _cumulative_trapezoid(y: Any, x: Any = None, dim: int = -1, dx: float = 1) -> Any:
    y = np.moveaxis(y, dim, -1)
    width = dx if x is None else np.diff(np.moveaxis(x, dim, -1) if x.ndim > 1 else x)
    return np.moveaxis(np.cumsum((y[..., 1:] + y[..., :-1]) / 2 * width, axis=-1), -1, dim)


def _gradient(x: Any, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> list[Any]:
    spacing = 1 if spacing is None else spacing
    along = tuple(range(x.ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    steps = list(spacing) if isinstance(spacing, (tuple, list)) else [spacing] * len(along)
    found = np.gradient(x, *steps, axis=along, edge_order=edge_order)
    return list(found) if isinstance(found, (tuple, list)) else [found]


def _diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    parts = [each for each in (prepend, x, append) if each is not None]
    return np.diff(np.concatenate(parts, axis=dim) if len(parts) > 1 else x, n, dim)


def _cov(x: Any, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    return np.cov(x, ddof=correction, fweights=fweights, aweights=aweights)


def _logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    return special.logsumexp(x, axis=axes_of(x, dim), keepdims=keepdim)


def _dist(x: Any, y: Any, p: Any = 2) -> Any:
    return vector_norm(x - y, p)


TABLE: dict[str, Callable[..., Any]] = {
    **{name: _reduction(getattr(np, name)) for name in ("sum", "mean", "prod", "nansum", "nanmean")},
    **{name: _reduction(getattr(np, name)) for name in ("amax", "amin")},
    **dict.fromkeys(("var", "var_unbiased"), _var),
    **dict.fromkeys(("std", "std_unbiased"), _std),
    **{
        name: lambda *a, **k: (_var(*a, **k), _mean_of(*a, **k)) for name in ("var_mean", "var_mean_unbiased")
    },
    **{
        name: lambda *a, **k: (_std(*a, **k), _mean_of(*a, **k)) for name in ("std_mean", "std_mean_unbiased")
    },
    **{f"max_reduction_{which}": _extreme(np.max, numpy.argmax) for which in ("with_dim", "no_dim")},
    **{f"min_reduction_{which}": _extreme(np.min, numpy.argmin) for which in ("with_dim", "no_dim")},
    **dict.fromkeys(("norm", "norm_nuc", "norm_fro", "norm_inf"), norm),
    "aminmax": lambda x, dim=None, keepdim=False: (
        np.min(x, axis=axes_of(x, dim), keepdims=keepdim),
        np.max(x, axis=axes_of(x, dim), keepdims=keepdim),
    ),
    "corrcoef": np.corrcoef,
    "cov": _cov,
    "cummax": _running(lambda one, other: one >= other),
    "cummin": _running(lambda one, other: one <= other),
    "cumprod": _cumulated(np.cumprod),
    "cumsum": _cumulated(np.cumsum),
    "cumulative_trapezoid": _cumulative_trapezoid,
    "diff": _diff,
    "dist": _dist,
    "gradient": _gradient,
    "kthvalue": kthvalue,
    "linalg_vector_norm": vector_norm,
    "logcumsumexp": _logcumsumexp,
    "logsumexp": _logsumexp,
    "median": _median(ignored=False),
    "mode": _mode,
    "msort": lambda x: sort(x, 0)[0],
    "nanmedian": _median(ignored=True),
    "nanquantile": _quantile(np.nanquantile),
    "quantile": _quantile(np.quantile),
    "renorm": _renorm,
    "sort": sort,
    "topk": topk,
    "trapezoid": _trapezoid,
    "trapz": _trapezoid,
}
