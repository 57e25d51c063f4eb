"""Arrays with more axes, in another order of axes, in blocks, and beside each other."""

import math

import numpy as np

import pullback as pb


@pb.composite(np.rollaxis)
def rollaxis(a, axis, start=0):
    """An axis moved to before another one."""
    source = axis + a.ndim if axis < 0 else axis
    target = start + a.ndim if start < 0 else start
    return np.moveaxis(a, source, target - 1 if source < target else target)


def _windows(x, length, axis):
    """The stretches of a length along an axis, which are counted there; their entries have the last axis."""
    starts = x.shape[axis] - length + 1
    if length < 0:
        raise ValueError("`window_shape` cannot contain negative values")
    if starts < 1:
        raise ValueError("window shape cannot be larger than input array shape")
    places = np.arange(starts)[:, None] + np.arange(length)
    return np.moveaxis(np.moveaxis(x, axis, -1)[..., places], -2, axis)


@pb.composite(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x, window_shape, axis=None):
    """All windows of a shape, by where they begin; a copy, where NumPy gives a view.

    >>> sliding_window_view(pb.tensor([1.0, 2.0, 4.0]), 2)
    tensor([[1., 2.],
            [2., 4.]])
    """
    lengths = window_shape if np.ndim(window_shape) == 1 else (window_shape,)
    if axis is None and x.ndim != len(lengths):
        raise ValueError("Since axis is `None`, must provide window_shape for all dimensions of `x`")
    if np.ndim(window_shape) == 0 and np.ndim(axis) == 0:  # known of an attribute when it is compiled
        first = 0 if axis is None else axis
        return _windows(x, window_shape, first + x.ndim if first < 0 else first)
    given = axis if np.ndim(axis) == 1 else (axis,)
    axes = tuple(range(len(lengths))) if axis is None else given
    if len(lengths) != len(axes):
        raise ValueError("Must provide matching length window_shape and axis")
    whole = x.ndim
    r = x
    for length, one in zip(lengths, axes):  # noqa: B905 - the language's zip has no `strict`
        r = _windows(r, length, one + whole if one < 0 else one)
    return r


@pb.composite(np.broadcast_arrays)
def broadcast_arrays(*args):
    """Each as a view of the shape that all have together."""
    whole = np.zeros_like(args[0])
    for arg in args[1:]:
        whole = whole + np.zeros_like(arg)
    return [np.broadcast_to(arg, whole.shape) for arg in args]


def _one(a):
    return np.reshape(a, (1,)) if np.ndim(a) == 0 else a


def _two(a):
    if np.ndim(a) > 1:
        return a
    return np.reshape(a, (1, 1)) if np.ndim(a) == 0 else np.expand_dims(a, 0)


def _three(a):
    if np.ndim(a) > 2:
        return a
    if np.ndim(a) == 2:
        return np.expand_dims(a, -1)
    return np.reshape(a, (1, -1, 1))


@pb.composite(np.atleast_1d)
def atleast_1d(*arys):
    """A number as a vector."""
    found = [_one(a) for a in arys]
    return found[0] if len(found) == 1 else found


@pb.composite(np.atleast_2d)
def atleast_2d(*arys):
    """A vector as a row."""
    found = [_two(a) for a in arys]
    return found[0] if len(found) == 1 else found


@pb.composite(np.atleast_3d)
def atleast_3d(*arys):
    """A vector as a row, a matrix as one of many, of one entry each."""
    found = [_three(a) for a in arys]
    return found[0] if len(found) == 1 else found


@pb.composite(np.unstack)
def unstack(x, *, axis=0):
    """The slices along an axis."""
    return [row for row in np.moveaxis(x, axis, 0)]  # noqa: C416 - the language's `list` takes what is written out


def _of_rank(a, rank):
    """An array with axes of length 1 in front, up to a rank."""
    r = a
    for _ in range(rank - np.ndim(a)):
        r = np.expand_dims(r, 0)
    return r


def _beside(row, rank):
    return np.concatenate([_of_rank(part, rank) for part in row], -1)


@pb.composite(np.block)
def block(arrays):
    """Nested lists of blocks, the innermost beside each other."""
    depth = np.ndim(arrays)
    if depth == 0:
        return arrays
    rank = depth
    if depth == 1:
        for part in arrays:
            rank = max(rank, np.ndim(part))
        return _beside(arrays, rank)
    if depth == 2:
        for row in arrays:
            for part in row:
                rank = max(rank, np.ndim(part))
        return np.concatenate([_beside(row, rank) for row in arrays], -2)
    raise ValueError(f"a formula joins blocks in lists of one or two levels, not {depth}")


def _shift(x, axes, back):
    """Halves exchanged along axes."""
    if axes is None:
        r = x
        for axis in range(x.ndim):
            r = np.roll(r, -(x.shape[axis] // 2) if back else x.shape[axis] // 2, axis)
        return r
    if np.ndim(axes) == 0:
        return np.roll(x, -(x.shape[axes] // 2) if back else x.shape[axes] // 2, axes)
    r = x
    for axis in axes:
        r = np.roll(r, -(x.shape[axis] // 2) if back else x.shape[axis] // 2, axis)
    return r


@pb.composite(np.fft.fftshift)
def fftshift(x, axes=None):
    """Frequency 0 in the middle."""
    return _shift(x, axes, False)


@pb.composite(np.fft.ifftshift)
def ifftshift(x, axes=None):
    """Frequency 0 at the beginning again."""
    return _shift(x, axes, True)


@pb.composite(np.meshgrid)
def meshgrid(*xi, indexing="xy", sparse=False, copy=True):
    """Each vector along an axis of its own, repeated along the others; for "xy" the first two change."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    lengths = [np.size(x) for x in xi]
    found = []
    for k in range(count):
        axis = 1 - k if indexing == "xy" and count > 1 and k < 2 else k
        shape = (1,) * axis + (-1,) + (1,) * (count - 1 - axis)
        found.append(np.reshape(xi[k], shape))
    if indexing == "xy" and count > 1:
        lengths = [lengths[1], lengths[0]] + lengths[2:]  # noqa: RUF005 - the formula language
    if sparse:
        return found
    return [np.broadcast_to(x, tuple(lengths)) for x in found]


@meshgrid.sample_inputs
def _meshgrid_inputs(rng):
    yield (rng.standard_normal(3), rng.standard_normal(2)), {}
    yield (rng.standard_normal(3), rng.standard_normal(2), rng.standard_normal(2)), {"indexing": "ij"}


@pb.composite(np.resize)
def resize(a, new_shape):
    """The entries again and again until the shape is full."""
    shape = (new_shape,) if np.ndim(new_shape) == 0 else new_shape
    count = math.prod(shape)
    flat = np.reshape(a, (-1,))
    return np.reshape(np.tile(flat, -(-count // a.size))[:count], shape)
