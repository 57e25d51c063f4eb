"""Numbers at even distances between two others."""

import numpy as np

import pullback as pb


def _shares(num, endpoint, count):
    """The positions of the numbers from first (0) to last (1), along the first of 1 + `count` axes."""
    many = max(num - 1 if endpoint else num, 1)
    return np.reshape(np.arange(num) / many, (num,) + (1,) * count)


def _even(start, stop, num, endpoint):
    """Values at even distances along a new first axis."""
    width = stop * 1.0 - start
    return start + width * _shares(num, endpoint, np.ndim(width))


@pb.composite(np.linspace)
def linspace(start, stop, num=50, endpoint=True, *, axis=0):
    """From `start` to `stop`, which is the last one where it is the `endpoint`."""
    if axis == 0:
        return _even(start, stop, num, endpoint)
    return np.moveaxis(_even(start, stop, num, endpoint), 0, axis)


@pb.composite(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, *, axis=0):
    """Powers of `base` with exponents at even distances."""
    return np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))


@pb.composite(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, *, axis=0):
    """At even ratios, of numbers of one sign."""
    if np.any(start * stop <= 0):
        raise ValueError("a formula takes np.geomspace between numbers of one sign")
    r = np.sign(start) * np.exp(_even(np.log(np.abs(start)), np.log(np.abs(stop)), num, endpoint))
    return r if axis == 0 else np.moveaxis(r, 0, axis)
