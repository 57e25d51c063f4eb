"""An array in parts: views that share its memory."""

import numpy as np

import pullback as pb


def _part(a, axis, start, stop):
    """The stretch of an axis from `start` to `stop`."""
    if axis == 0:
        return a[start:stop]
    if axis == -1:
        return a[..., start:stop]
    return np.swapaxes(np.swapaxes(a, axis, 0)[start:stop], axis, 0)


def _at(ary, places, axis):
    """The parts between these places."""
    starts, stops = (0, *places), (*places, ary.shape[axis])
    return [_part(ary, axis, start, stop) for start, stop in zip(starts, stops)]  # noqa: B905 - the language's zip has no `strict`


@pb.composite(np.split)
def split(ary, indices_or_sections, axis=0):
    """As many parts of one length, or parts between places.

    >>> split(pb.tensor([1.0, 2.0, 3.0]), [1])
    [tensor([1.]), tensor([2., 3.])]
    """
    if np.ndim(indices_or_sections) == 1:
        return _at(ary, indices_or_sections, axis)
    n = ary.shape[axis]
    if n % indices_or_sections != 0:
        raise ValueError("array split does not result in an equal division")
    length = n // indices_or_sections
    return [_part(ary, axis, i * length, (i + 1) * length) for i in range(indices_or_sections)]


@pb.composite(np.array_split)
def array_split(ary, indices_or_sections, axis=0):
    """As `split`; where the lengths cannot be one, the first parts are longer by an entry."""
    if np.ndim(indices_or_sections) == 1:
        return _at(ary, indices_or_sections, axis)
    n = ary.shape[axis]
    length, longer = n // indices_or_sections, n % indices_or_sections
    return [
        _part(ary, axis, i * length + min(i, longer), (i + 1) * length + min(i + 1, longer))
        for i in range(indices_or_sections)
    ]


@pb.composite(np.hsplit)
def hsplit(ary, indices_or_sections):
    """Parts beside each other."""
    return np.split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


@pb.composite(np.vsplit)
def vsplit(ary, indices_or_sections):
    """Parts on top of each other."""
    return np.split(ary, indices_or_sections, 0)


@pb.composite(np.dsplit)
def dsplit(ary, indices_or_sections):
    """Parts along the third axis."""
    return np.split(ary, indices_or_sections, 2)
