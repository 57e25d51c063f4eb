"""Integrals, slopes, interpolation and running sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ...calls.call import arrays, call, operators
from ...core.errors import NotDifferentiableError
from ...transforms.forward_ad import differentiated
from .table import formulas, stands_for


def _slice(a: Any, axis: int, *bounds: int | None) -> Any:
    return a[(*(slice(None),) * normalize_axis_index(axis, a.ndim), slice(*bounds))]


@stands_for(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """As `np.diff`; of bools, where neighbours differ, as NumPy finds it."""
    if n == 1 and prepend is None is append and a.ndim and a.dtype.kind != "b":
        return _slice(a, axis, 1, None) - _slice(a, axis, None, -1)
    if a.dtype.kind != "b":
        return formulas.diff(a, n, axis, prepend, append)
    found = np.diff(
        arrays(a), n, axis, *(np._NoValue if end is None else arrays(end) for end in (prepend, append))
    )
    return a.__array_namespace__().asarray(found)


@stands_for(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """As `np.ediff1d`: differences of neighbours among all entries, with others put at the ends."""
    if to_end is not None or to_begin is not None or not hasattr(ary, "ndim"):
        return formulas.ediff1d(ary, to_end, to_begin)
    flat = ary if ary.ndim == 1 else operators.reshape(ary, shape=(-1,))
    return flat[1:] - flat[:-1]


@stands_for(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """As `np.gradient`: central differences inside, one-sided ones of first order at the ends.

    ValueError for ends of second order.
    """
    if edge_order != 1:
        raise ValueError("np.gradient of a tensor takes edge_order=1")
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    if f.dtype.kind == "b":
        raise TypeError("np.gradient of bools: they have no differences; write f.astype(float)")
    if f.dtype.kind in "iu":
        f = f.astype(np.float64)
    spacings = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    found = [np.astype(_slopes(f, spacing, k), f.dtype) for spacing, k in zip(spacings, axes, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(f: Any, spacing: Any, axis: int) -> Any:
    n = f.shape[axis]
    if n < 2:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    if np.shape(spacing) not in ((), (n,)):
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if np.ndim(spacing) == 0:
        inside = (_slice(f, axis, 2, None) - _slice(f, axis, None, -2)) / (2 * spacing)
        begin = (_slice(f, axis, 1, 2) - _slice(f, axis, 0, 1)) / spacing
        end = (_slice(f, axis, -1, None) - _slice(f, axis, -2, -1)) / spacing
        return np.concatenate([begin, inside, end], axis)
    shape = tuple(-1 if k == axis else 1 for k in range(f.ndim))
    widths = np.reshape(np.diff(spacing), shape)
    steps = np.diff(f, axis=axis) / widths
    before, after = _slice(widths, axis, None, -1), _slice(widths, axis, 1, None)
    inside = (_slice(steps, axis, 1, None) * before + _slice(steps, axis, None, -1) * after) / (
        before + after
    )
    return np.concatenate([_slice(steps, axis, 0, 1), inside, _slice(steps, axis, -1, None)], axis)


@stands_for(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None) -> Any:
    """As `np.interp`: straight lines between points, differentiable in all three.

    >>> import pullback as pb
    >>> interp(pb.tensor(1.5), np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    tensor(15.)
    """
    x, xp, fp = (_in_floats(part) for part in (x, xp, fp))
    if x.dtype.kind == "c" or xp.dtype.kind == "c":
        raise TypeError("np.interp takes real places, and only values of its points may be complex")
    if period is not None:
        period = abs(period)
        x, xp = np.remainder(x, period), np.remainder(xp, period)
        order = np.argsort(arrays(xp))
        xp, fp = xp[order], fp[order]
        xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = np.concatenate([fp[-1:], fp, fp[:1]])
    values, points = np.asarray(arrays(x)), arrays(xp)
    if len(points) == 1:
        found = np.broadcast_to(fp[0], values.shape) * 1.0
    else:
        place = np.clip(np.searchsorted(points, values, side="right") - 1, 0, len(points) - 2)
        low = xp[place]
        width = xp[place + 1] - low
        jump = arrays(width) == 0  # only the last interval is entered without a length: at its end
        share = np.where(jump, 1.0, (x - low) / np.where(jump, 1.0, width))
        found = fp[place] + share * (fp[place + 1] - fp[place])
    found = np.where(values < points[0], fp[0] if left is None else left, found)
    found = np.where(values > points[-1], fp[-1] if right is None else right, found)
    return np.where(values == points[-1], fp[-1], found) if len(points) == 1 else found


def _in_floats(part: Any) -> Any:
    """An array or tensor in float64, as NumPy computes: differences of whole numbers would wrap."""
    part = part if hasattr(part, "shape") else np.asarray(part)
    return np.astype(part, np.result_type(part.dtype, np.float64))


@stands_for(np.unwrap)
def unwrap(p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi) -> Any:
    """As `np.unwrap`: with whole periods added, which are constant between their jumps."""
    if differentiated((period,)):
        raise NotDifferentiableError(
            "np.unwrap: no gradient flows into 'period', and it got a tensor that requires grad; pass "
            "period.detach()"
        )
    values = arrays(p)
    found = np.unwrap(values, arrays(discont), arrays(axis), period=arrays(period))
    return p + (found - values)


@stands_for(getattr(np, "cumulative_sum", None))
def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """As `np.cumulative_sum`: the array API's `cumsum`, of one axis."""
    return _cumulative("cumsum", 0, x, axis, dtype, include_initial)


@stands_for(getattr(np, "cumulative_prod", None))
def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """As `np.cumulative_prod`: the array API's `cumprod`, of one axis."""
    return _cumulative("cumprod", 1, x, axis, dtype, include_initial)


def _cumulative(op: str, start: int, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Any:
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    found = call(op, x, axis=axis) if dtype is None else call(op, x, axis, dtype)
    if not include_initial:
        return found
    axis = normalize_axis_index(axis, found.ndim)
    shape = (*found.shape[:axis], 1, *found.shape[axis + 1 :])
    return np.concatenate([np.full(shape, start, found.dtype), found], axis)
