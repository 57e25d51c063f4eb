"""Entries selected by places, conditions and order."""

import numpy as np

import pullback as pb
from pullback import primitives


def _along(a, indices, axis, mode):
    """Entries at places along an axis; a number is an array of one entry, as in NumPy."""
    if np.ndim(a) == 0:
        a = np.reshape(a, (1,))
    if np.ndim(indices) == 0 and mode == "raise":
        return np.moveaxis(a, axis, 0)[indices + 0]  # True is 1, as in NumPy, and no mask
    places = np.asarray(indices)
    if places.dtype == np.bool_:
        raise TypeError("np.take takes whole numbers in a formula; a mask selects by x[mask]")
    if mode == "wrap":
        places = places % a.shape[axis]
    elif mode == "clip":
        places = np.clip(places, 0, a.shape[axis] - 1)
    if np.ndim(indices) == 0:
        return np.moveaxis(a, axis, 0)[places]
    r = np.swapaxes(np.swapaxes(a, axis, 0)[np.reshape(places, (-1,))], axis, 0)
    k = axis + a.ndim if axis < 0 else axis
    return np.reshape(r, (*a.shape[:k], *np.shape(places), *a.shape[k + 1 :]))


@pb.composite(np.take)
def take(a, indices, axis=None, *, mode="raise"):
    """Entries at places along an axis, or of all in row-major order.

    >>> take(pb.tensor([1.0, 2.0, 4.0]), np.array([2, 0]))
    tensor([4., 1.])
    """
    if axis is None:
        return _along(np.reshape(a, (-1,)), indices, 0, mode)
    return _along(a, indices, axis, mode)


@pb.composite(np.compress)
def compress(condition, a, axis=None):
    """The slices along an axis for which the condition holds."""
    return np.take(a, np.flatnonzero(condition), axis)


@pb.composite(np.extract)
def extract(condition, arr):
    """The entries where the condition holds."""
    return np.take(arr, np.flatnonzero(condition))


@pb.composite(np.choose)
def choose(a, choices, *, mode="raise"):
    """Each entry of the array that the index names."""
    places, count = np.asarray(a), len(choices)
    if mode == "wrap":
        places = places % count
    elif mode == "clip":
        places = np.clip(places, 0, count - 1)
    elif np.any(np.logical_or(places < 0, places >= count)):
        raise ValueError("invalid entry in choice array")
    r = choices[count - 1]
    for k in range(count - 1):
        r = np.where(places == k, choices[k], r)
    return r if count > 1 else np.where(places == 0, r, r)


@pb.composite(np.select)
def select(condlist, choicelist, default=0):
    """Of each entry the first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    r = default
    # The language's zip has no `strict`, and may be reversed: this is read, not run.
    for condition, choice in reversed(zip(condlist, choicelist)):  # type: ignore[call-overload]  # noqa: B905
        r = np.where(condition, choice, r)
    return r


@select.sample_inputs
def _select_inputs(rng):
    first, second = rng.random((2, 3, 4)) > 0.5
    yield ([first, second], [rng.standard_normal((3, 4)), rng.standard_normal(4)]), {}


def _piece(x, condition, piece, r):
    """The values of a piece at the entries where its condition holds."""
    if not callable(piece):
        return np.where(condition, piece, r)
    values = np.broadcast_to(piece(x[condition]), (int(np.count_nonzero(condition)),))
    return np.where(condition, primitives.unslice(values, index=condition, shape=x.shape), r)


@pb.composite(np.piecewise)
def piecewise(x, condlist, funclist):
    """Each function on the entries for which its condition holds, one more elsewhere."""
    r, rest = np.zeros_like(x), np.ones_like(x) > 0
    conditions = condlist if np.ndim(condlist) > 0 else [condlist]
    if len(funclist) != len(conditions) and len(funclist) != len(conditions) + 1:
        raise ValueError(
            f"np.piecewise with {len(conditions)} conditions takes so many functions or one more"
        )
    for condition, piece in zip(conditions, funclist):  # noqa: B905 - the language's zip has no `strict`
        r = np.astype(_piece(x, condition, piece, r), x.dtype)
        rest = np.logical_and(rest, np.logical_not(condition))
    if len(funclist) > len(conditions):
        r = np.astype(_piece(x, rest, funclist[-1], r), x.dtype)
    return r


@piecewise.sample_inputs
def _piecewise_inputs(rng):
    x = rng.standard_normal((3, 4))
    yield (x, [x > 0.5, x < -0.5], [np.sin, np.exp, np.square]), {}


@pb.composite(np.partition)
def partition(a, kth, axis=-1):
    """A permutation that puts the k-th smallest entry to its place."""
    if axis is None:
        flat = np.reshape(a, (-1,))
        return flat[np.argpartition(flat, kth, 0)]
    return np.take_along_axis(a, np.argpartition(a, kth, axis), axis)


@pb.composite(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args):
    """A function of each vector along an axis."""
    moved = np.moveaxis(arr, axis, -1)
    rows = np.reshape(moved, (-1, arr.shape[axis]))
    joined = np.stack([func1d(row, *args) for row in rows])
    if joined.ndim > 2:
        raise ValueError("np.apply_along_axis takes functions to numbers or vectors in a formula")
    shaped = np.reshape(joined, (*moved.shape[:-1], *joined.shape[1:]))
    return shaped if joined.ndim == 1 else np.moveaxis(shaped, -1, axis)


@apply_along_axis.sample_inputs
def _apply_along_axis_inputs(rng):
    yield (np.cumprod, 0, rng.standard_normal((3, 4))), {}


@pb.composite(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    """A reduction over one axis after the other."""
    r = a
    for axis in axes:
        reduced = func(r, axis)
        r = reduced if reduced.ndim == a.ndim else np.expand_dims(reduced, axis)
    return r


@apply_over_axes.sample_inputs
def _apply_over_axes_inputs(rng):
    yield (np.sum, rng.standard_normal((2, 3, 4)), (0, 2)), {}
