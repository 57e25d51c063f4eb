"""Differences of neighbours."""

import numpy as np

import pullback as pb


def _last(a, axis):
    """`a` with an axis in the last one's place, and back."""
    return a if axis == -1 else np.swapaxes(a, axis, -1)


def _as_end(end, a, axis):
    """The values put before or after `a`, whose last axis was `axis`: an array, or a number for all."""
    return np.broadcast_to(end, (*a.shape[:-1], 1)) if np.ndim(end) == 0 else _last(end, axis)


@pb.composite(np.diff)
def diff(a: pb.Tensor, n=1, axis=-1, prepend=None, append=None):
    """Entries along an axis less those before them, n times over.

    >>> diff(pb.tensor([1.0, 4.0, 9.0]))
    tensor([3., 5.])
    """
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if n == 0:
        return a
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    r = _last(a, axis)
    if prepend is not None:
        r = np.concatenate([_as_end(prepend, r, axis), r], -1)
    if append is not None:
        r = np.concatenate([r, _as_end(append, r, axis)], -1)
    for _ in range(n):
        r = r[..., 1:] - r[..., :-1]
    return _last(r, axis)


@pb.composite(np.ediff1d)
def ediff1d(ary: pb.Tensor, to_end=None, to_begin=None):
    """Differences of neighbours among all entries, with others put at the ends."""
    r = np.diff(np.reshape(ary, (-1,)))
    if to_begin is not None:
        r = np.concatenate([np.astype(np.reshape(to_begin, (-1,)), r.dtype), r])
    if to_end is not None:
        r = np.concatenate([r, np.astype(np.reshape(to_end, (-1,)), r.dtype)])
    return r


@pb.composite(np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of straight lines between the points.

    >>> trapezoid(pb.tensor([1.0, 2.0, 4.0]), dx=0.5)
    tensor(2.25)
    """
    y = np.moveaxis(y, axis, -1)
    if x is None and np.ndim(dx) == 0 and (y.dtype == np.float32 or y.dtype == np.float64):
        return dx * (np.sum(y[..., 1:], axis=-1) + np.sum(y[..., :-1], axis=-1)) / 2
    if x is None:
        widths = dx
    elif np.ndim(x) == 1:
        widths = np.diff(x)
    else:
        widths = np.diff(np.moveaxis(x, axis, -1))
    return np.sum(widths * (y[..., 1:] + y[..., :-1]) / 2, axis=-1)


@trapezoid.sample_inputs
def _trapezoid_inputs(rng):
    yield (rng.standard_normal((3, 4)),), {"dx": 0.5}
    yield (rng.standard_normal((3, 4)), rng.uniform(1.0, 2.0, 4)), {}
    yield (rng.standard_normal((3, 4)), rng.uniform(1.0, 2.0, (3, 4))), {"axis": 0}
