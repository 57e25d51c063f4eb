"""Differences of neighbours."""

import numpy as np

import pullback as pb


def _last(a, axis):
    """`a` with an axis in the last one's place, and back."""
    return a if axis == -1 else np.swapaxes(a, axis, -1)


def _as_end(end, a, axis):
    """What is put before or after `a`, whose last axis was `axis`: an array, or a number for all."""
    return np.broadcast_to(end, (*a.shape[:-1], 1)) if np.ndim(end) == 0 else _last(end, axis)


@pb.composite(np.diff)
def diff(a, n=1, axis=-1, prepend=None, append=None):
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
