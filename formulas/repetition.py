"""Entries and whole arrays repeated; their adjoints sum over the copies."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(np.repeat, complex=True)
def repeat(a, *, repeats, axis=None):
    """Each entry so many times in a row: it takes the sum over its copies."""
    r = np.repeat(a, repeats, axis)

    def repeat_pullback(grad):
        return primitives.sum_repeats(grad, repeats=repeats, axis=axis, shape=a.shape)

    return r, repeat_pullback


@repeat.sample_inputs
def _repeat_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"repeats": 2}
    yield (rng.standard_normal((2, 3)),), {"repeats": 3, "axis": -1}
    yield (rng.standard_normal((2, 3)),), {"repeats": (2, 0, 1), "axis": 1}


@pb.formula(primitives.sum_repeats, complex=True)
def sum_repeats(a, *, repeats, axis, shape):
    """The sum over the copies that `np.repeat` made of an array of `shape`."""
    r = primitives.sum_repeats(a, repeats=repeats, axis=axis, shape=shape)

    def sum_repeats_pullback(grad):
        return np.repeat(grad, repeats=repeats, axis=axis)

    return r, sum_repeats_pullback


@sum_repeats.sample_inputs
def _sum_repeats_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"repeats": (2, 0, 1), "axis": 1, "shape": (2, 3)}
    yield (rng.standard_normal((8,)),), {"repeats": 2, "axis": None, "shape": (2, 2)}


@pb.formula(np.tile, complex=True)
def tile(A, *, reps):
    """The array so many times along each axis: each entry takes the sum over its copies."""
    r = np.tile(A, reps)

    def tile_pullback(grad):
        return primitives.sum_tiles(grad, reps=reps, shape=A.shape)

    return r, tile_pullback


@tile.sample_inputs
def _tile_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"reps": 2}
    yield (rng.standard_normal((2, 3)),), {"reps": (2, 1, 3)}
    yield (rng.standard_normal((3,)),), {"reps": (2, 2)}


@pb.formula(primitives.sum_tiles, complex=True)
def sum_tiles(a, *, reps, shape):
    """The sum over the copies that `np.tile` made of an array of `shape`."""
    r = primitives.sum_tiles(a, reps=reps, shape=shape)

    def sum_tiles_pullback(grad):
        return np.tile(np.reshape(grad, shape), reps)

    return r, sum_tiles_pullback


@sum_tiles.sample_inputs
def _sum_tiles_inputs(rng):
    yield (rng.standard_normal((4, 3)),), {"reps": (2, 1), "shape": (2, 3)}
