"""Arrays with entries taken away or put in: entries at places that NumPy finds."""

import numpy as np

import pullback as pb


def _at(a, places, axis):
    """The entries at some places of an axis."""
    return np.swapaxes(np.swapaxes(a, axis, 0)[places], axis, 0)


def _without(n, obj, axis):
    """The places of an axis of this length but for those to be taken away."""
    if not isinstance(obj, int) or isinstance(obj, bool):
        return np.delete(np.arange(n), obj)
    if obj >= n or obj < -n:
        raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {n}")
    at = np.arange(n - 1)
    return np.where(at < obj % n, at, at + 1)


@pb.composite(np.delete)
def delete(arr, obj, axis=None):
    """The array without the entries at some places."""
    if axis is None:
        return _at(np.reshape(arr, (-1,)), _without(arr.size, obj, 0), 0)
    return _at(arr, _without(arr.shape[axis], obj, axis), axis)


def _between(n, obj, many, axis):
    """The places of an axis of this length, with those of `many` new entries before one of them."""
    if obj > n or obj < -n:
        raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {n}")
    first = obj + n if obj < 0 else obj
    at = np.arange(n + many)
    return np.where(at < first, at, np.where(at < first + many, at + n - first, at - many))


def _inserted(a, obj, values, axis):
    """The array with entries put in; of one place the first axis of the values is the one that is put in."""
    n = a.shape[axis]
    k = axis + a.ndim if axis < 0 else axis
    if np.ndim(obj) > 0:
        given, many = values, np.size(np.insert(np.arange(n), obj, -1)) - n
    elif np.ndim(values) == 0:
        given, many = values, 1
    else:
        given = np.moveaxis(np.reshape(values, (1,) * (a.ndim - np.ndim(values)) + np.shape(values)), 0, axis)
        many = given.shape[axis]
    given = np.broadcast_to(given, (*a.shape[:k], many, *a.shape[k + 1 :]))
    both = np.concatenate([a, np.astype(given, a.dtype)], axis)
    if isinstance(obj, int) and not isinstance(obj, bool):
        return _at(both, _between(n, obj, many, axis), axis)
    first = obj if np.ndim(obj) > 0 else np.full((many,), obj)
    return _at(both, np.insert(np.arange(n), first, np.arange(n, n + many)), axis)


@pb.composite(np.insert)
def insert(arr, obj, values, axis=None):
    """The array with entries put in before some places."""
    if axis is None:
        return _inserted(np.reshape(arr, (-1,)), obj, values, 0)
    return _inserted(arr, obj, values, axis)


@pb.composite(np.trim_zeros)
def trim_zeros(filt, trim="fb"):
    """A vector without the zeros at its ends."""
    if filt.ndim != 1:
        raise ValueError("np.trim_zeros takes vectors in a formula")
    if trim != "f" and trim != "b" and trim != "fb" and trim != "bf":
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    count = filt.shape[0]
    places = np.flatnonzero(filt)
    if np.size(places) == 0:
        return filt[:0]
    first = places[0] if trim == "f" or trim == "fb" or trim == "bf" else 0
    last = places[-1] if trim == "b" or trim == "fb" or trim == "bf" else count - 1
    return filt[np.arange(count)[first : last + 1]]
