"""Arrays with numbers put round them."""

from typing import Any

import numpy as np

import pullback as pb


def _pairs(given: Any) -> Any:
    """A pair for each axis, or one for all, of what `np.pad` takes: a number, a pair, or pairs."""
    if np.ndim(given) == 0:
        return ((given, given),)
    return (given,) if np.ndim(given) == 1 else given


def _wider(a, widths, values):
    """`a` with numbers before and after the entries of its first axis, which then is the last one."""
    a = np.moveaxis(a, 0, -1)
    before = np.full((*a.shape[:-1], widths[0]), values[0], a.dtype)
    after = np.full((*a.shape[:-1], widths[-1]), values[-1], a.dtype)
    return np.concatenate([before, a, after], -1)


def _places(n, widths, mode):
    """The entries of an axis of this length that stand at each place of the wider one.

    Before it and behind it the axis is read on: its ends (`edge`), backwards with its ends once or twice
    (`reflect`, `symmetric`), or from its other end (`wrap`).
    """
    if widths[0] < 0 or widths[-1] < 0:
        raise ValueError("index can't contain negative values")
    if n == 0 and widths[0] + widths[-1] > 0:
        raise ValueError("can't extend an empty axis using modes other than 'constant'")
    at = np.arange(-widths[0], n + widths[-1])
    if mode == "edge":
        return np.clip(at, 0, n - 1)
    if mode == "wrap":
        return at % n
    if mode == "symmetric":
        there = at % (2 * n)
        return np.minimum(there, 2 * n - 1 - there)
    period = max(2 * n - 2, 1)
    there = at % period
    return np.minimum(there, period - there) if n > 1 else there


def _repeated(array, widths, mode):
    """Axis by axis, with entries of the array itself before and behind."""
    if len(widths) == 1:
        for _ in range(array.ndim):
            array = np.moveaxis(array[_places(array.shape[0], widths[0], mode)], 0, -1)
        return array
    if len(widths) != array.ndim:
        raise ValueError(f"np.pad of {array.ndim} axes takes as many pairs, or one, not {len(widths)}")
    for pair in widths:
        array = np.moveaxis(array[_places(array.shape[0], pair, mode)], 0, -1)
    return array


@pb.composite(np.pad)
def pad(array, pad_width, mode="constant", constant_values=0):
    """Axis by axis, each of which comes to be the last one, until they stand in their order again.

    >>> pad(pb.tensor([1.0, 2.0]), (1, 2), constant_values=5)
    tensor([5., 1., 2., 5., 5.])
    """
    if mode == "edge" or mode == "reflect" or mode == "symmetric" or mode == "wrap":
        return _repeated(array, _pairs(pad_width), mode)
    if mode != "constant":
        raise ValueError(
            f"a formula pads by 'constant', 'edge', 'reflect', 'symmetric' or 'wrap', not {mode!r}; "
            "select the entries by an index"
        )
    widths, values = _pairs(pad_width), _pairs(constant_values)
    if len(widths) == 1 and len(values) == 1:
        for _ in range(array.ndim):
            array = _wider(array, widths[0], values[0])
        return array
    count = max(len(widths), len(values))
    if count != array.ndim:
        raise ValueError(f"np.pad of {array.ndim} axes takes as many pairs, or one, not {count}")
    for k in range(count):
        array = _wider(array, widths[k % len(widths)], values[k % len(values)])
    return array
