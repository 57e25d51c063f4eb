"""Tangents of sums, products, norms and extremes, along axes or of all entries."""

from __future__ import annotations

import math
from typing import Any

from pullback import aten

from ..reductions import axes
from ..refusals import MissingDerivativeError


def _sum(values: Any, dim: Any, keepdim: bool) -> Any:
    return aten.sum(values, axes(dim, values.ndim), keepdim) if values.ndim else values


def _restored(values: Any, dim: Any, keepdim: bool, ndim: int) -> Any:
    """The reduced axes again, of length 1."""
    if keepdim or not ndim:
        return values
    for axis in sorted(axes(dim, ndim)):
        values = aten.unsqueeze(values, axis)
    return values


def _shared(values: Any, chosen: Any, dim: Any, keepdim: bool) -> Any:
    """The mean of the chosen entries."""
    return _sum(chosen * values, dim, keepdim) / _sum(chosen, dim, keepdim)


def _same(values: Any, result: Any) -> Any:
    """True where entries are equal, or both no number."""
    return (values == result) | ((values != values) & (result != result))


def logsumexp_jvp(x: Any, x_t: Any, dim: Any, keepdim: bool) -> Any:
    """The tangents weighted by e**x / sum e**x."""
    weights, total = _weights(x, dim)
    return _sum(weights * x_t, dim, keepdim) / _restored_like(total, dim, keepdim)


def safe_logsumexp_jvp(x: Any, x_t: Any, dim: Any, keepdim: bool) -> Any:
    """The same, and 0 where all of x is minus infinity."""
    weights, total = _weights(x, dim)
    total = _restored_like(total, dim, keepdim)
    nothing = total == 0
    return aten.where(nothing, 0.0, _sum(weights * x_t, dim, keepdim) / aten.where(nothing, 1.0, total))


def _weights(x: Any, dim: Any) -> tuple[Any, Any]:
    """e**(x - m) with the largest real part m, and the sums of it, with the axes of x."""
    real = aten.real(x) if aten.is_complex(x) else x
    largest = aten.amax(real, axes(dim, x.ndim), True) if aten.numel(x) and x.ndim else real
    largest = aten.where(aten.isinf(largest), 0.0, largest)
    weights = aten.exp(x - largest)
    return weights, _sum(weights, dim, True)


def _restored_like(total: Any, dim: Any, keepdim: bool) -> Any:
    return total if keepdim else _sum(total, dim, False)


def logcumsumexp_jvp(x: Any, x_t: Any, dim: int) -> Any:
    """y_i = log sum of e**x_j for j <= i: the mean of dx_j with the weights e**(x_j - m), m the largest x."""
    if x.ndim == 0 or aten.numel(x) == 0:
        return x_t
    largest, _ = aten.cummax(aten.real(x) if aten.is_complex(x) else x, dim)
    steps = zip(*(aten.unbind(given, dim) for given in (x, x_t, largest)), strict=True)
    entry, along, before = next(steps)
    total = _power(entry, before)
    sums, totals = [total * along], [total]
    for entry, entry_t, now in steps:
        weight, kept = _power(entry, now), _power(before, now)
        sums.append(kept * sums[-1] + weight * entry_t)
        totals.append(kept * totals[-1] + weight)
        before = now
    return aten.stack(sums, dim) / aten.stack(totals, dim)


def _power(exponent: Any, largest: Any) -> Any:
    """e**(exponent - largest); 1 where both are the same infinity."""
    return aten.exp(aten.where(exponent == largest, 0.0, exponent - largest))


def cumprod_jvp(x_t: Any, x: Any, result: Any, dim: int) -> Any:
    """y_i = y_(i-1) x_i: dy_i = dy_(i-1) x_i + y_(i-1) dx_i, which holds where factors are 0."""
    if x.ndim == 0 or aten.numel(x) == 0:
        return x_t
    pairs = zip(aten.unbind(x, dim), aten.unbind(x_t, dim), strict=True)
    value, along = next(pairs)
    made = [along]
    for factor, factor_t in pairs:
        value, along = value * factor, along * factor + value * factor_t
        made.append(along)
    return aten.stack(made, dim)


def norm_jvp(x: Any, x_t: Any, p: Any, result: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """r**p = sum |x|**p, so dr = sum (|x|/r)**(p - 1) Re(conj(sgn(x)) dx); 0 where x or r is 0.

    The norm of infinite order is that of the largest entry, and of several equal ones their mean.
    """
    p = 2.0 if p is None else float(p)
    if p == 0.0:
        return aten.zeros_like(result)
    whole = _restored(result, dim, keepdim and result.ndim > 0, x.ndim)
    size = aten.abs(x)
    along = aten.conj(aten.sgn(x)) * x_t
    along = aten.real(along) if aten.is_complex(along) else along
    if math.isinf(p):
        return _shared(along, _same(size, whole), dim, keepdim)
    nothing = (size == 0) | (whole == 0)
    ratio = aten.where(nothing, 1.0, size) / aten.where(whole == 0, 1.0, whole)
    slope = along if p == 1.0 else aten.where(nothing, 0.0, aten.pow(ratio, p - 1) * along)
    return _sum(slope, dim, keepdim)


def linalg_vector_norm_jvp(x: Any, x_t: Any, order: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The tangent of a norm of a vector."""
    return norm_jvp(x, x_t, order, result, () if dim is None else dim, keepdim)


def renorm_jvp(x: Any, x_t: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """y = x m / (n + e) where the norm n of x's part is more than m: dy = y/x dx - y dn / (n + e)."""
    others = tuple(axis for axis in range(x.ndim) if axis != dim % x.ndim)
    norm = aten.linalg_vector_norm(x, p, others, True)
    norm_t = norm_jvp(x, x_t, p, norm, others, True)
    scale = maxnorm / (norm + 1e-7)
    large = norm > maxnorm
    return aten.where(large, x_t * scale - x * scale * norm_t / (norm + 1e-7), x_t)


def evenly_read_jvp(x_t: Any, x: Any, value: Any) -> Any:
    """The mean of the tangents of the entries that have the value."""
    chosen = _same(x, value)
    return aten.sum(chosen * x_t) / aten.sum(chosen)


def amaxamin_jvp(x: Any, x_t: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """Along axes, the mean of the tangents of the entries that are the extreme."""
    return _shared(x_t, _same(x, _restored(result, dim, keepdim, x.ndim)), dim, keepdim)


def aminmax_jvp(x: Any, x_t: Any, result: Any, dim: int | None, keepdim: bool) -> Any:
    """The same along one axis, or of all."""
    return amaxamin_jvp(x, x_t, result, () if dim is None else dim, keepdim)


def clamp_jvp(x: Any, x_t: Any, low: Any, low_t: Any, high: Any, high_t: Any) -> Any:
    """The tangent of x, or of the limit that took its place; the upper one wins."""
    made = x_t
    if low is not None:
        made = aten.where(x < low, low_t, made)
        x = aten.maximum(x, low)
    return made if high is None else aten.where(x > high, high_t, made)


def scatter_reduce_jvp(
    x: Any,
    x_t: Any,
    dim: int,
    index: Any,
    source: Any,
    source_t: Any,
    reduce: str,
    include_self: bool,
    result: Any,
) -> Any:
    """Sums and means are linear; of extremes, the mean of the tangents of those that are the extreme."""
    if reduce in ("sum", "mean"):
        return aten.scatter_reduce(x_t, dim, index, source_t, reduce, include_self=include_self)
    if reduce == "prod":
        raise MissingDerivativeError("scatter_reduce of products has no rule for forward mode")
    number = x.dtype
    from_source = aten.to(source == aten.gather(result, dim, index), number)
    chosen = aten.to(x == result, number)
    if not include_self:
        ones = aten.ones_like(source)
        untouched = aten.scatter_add(aten.zeros_like(x), dim, index, ones) == 0
        chosen = chosen * aten.to(untouched, number)
    total = aten.scatter_add(chosen * x_t, dim, index, from_source * source_t)
    return total / aten.scatter_add(chosen, dim, index, from_source)
