"""Running sums and products by the names of the array API, which may begin before the first entry."""

import numpy as np

import pullback as pb


def _along(x, axis):
    """The axis, which only of a vector may be left out."""
    if axis is not None:
        return axis
    if x.ndim > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    return 0


def _with_initial(r, axis, value):
    """Running sums with one more before the first."""
    r = np.moveaxis(r, axis, -1)
    return np.moveaxis(np.concatenate([np.full((*r.shape[:-1], 1), value, r.dtype), r], -1), -1, axis)


@pb.composite(np.cumulative_sum)
def cumulative_sum(x, *, axis=None, dtype=None, include_initial=False):
    """The sum of the entries up to each."""
    axis = _along(x, axis)
    r = np.cumsum(x if dtype is None else np.astype(x, dtype), axis)
    return _with_initial(r, axis, 0) if include_initial else r


@pb.composite(np.cumulative_prod)
def cumulative_prod(x, *, axis=None, dtype=None, include_initial=False):
    """The product of the entries up to each."""
    axis = _along(x, axis)
    r = np.cumprod(x if dtype is None else np.astype(x, dtype), axis)
    return _with_initial(r, axis, 1) if include_initial else r
