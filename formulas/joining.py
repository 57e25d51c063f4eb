"""Arrays put on top of and beside each other."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(np.vstack, jvp=lambda tup, tangents: np.vstack(tangents), complex=True)
def vstack(tup: list[pb.Tensor]):
    """Arrays on top of each other, a vector as a row: each takes its own rows of the gradient."""
    r = np.vstack(tup)

    def vstack_pullback(grad):
        return primitives.split_like(grad, primitives.like(tup), axis=0)

    return r, vstack_pullback


@vstack.sample_inputs
def _vstack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((3,))],), {}


@pb.formula(np.hstack, jvp=lambda tup, tangents: np.hstack(tangents), complex=True)
def hstack(tup: list[pb.Tensor]):
    """Arrays beside each other along the second axis, vectors along their only one.

    Each takes its own columns of the gradient.
    """
    r = np.hstack(tup)

    def hstack_pullback(grad):
        return primitives.split_like(grad, primitives.like(tup), axis=0 if grad.ndim == 1 else 1)

    return r, hstack_pullback


@hstack.sample_inputs
def _hstack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 1))],), {}
    yield ([rng.standard_normal((2,)), rng.standard_normal(())],), {}


@pb.composite(np.column_stack)
def column_stack(tup: list[pb.Tensor]):
    """Vectors as columns, matrices beside each other."""
    return np.concatenate([a if np.ndim(a) > 1 else np.reshape(a, (-1, 1)) for a in tup], 1)


@column_stack.sample_inputs
def _column_stack_inputs(rng):
    yield ([rng.standard_normal((3,)), rng.standard_normal((3, 2))],), {}


def _deep(a):
    """An array with a third axis at least: a vector is a row."""
    if np.ndim(a) > 2:
        return a
    return np.expand_dims(a, 2) if np.ndim(a) == 2 else np.reshape(a, (1, -1, 1))


@pb.composite(np.dstack)
def dstack(tup: list[pb.Tensor]):
    """Arrays behind each other, along a third axis."""
    return np.concatenate([_deep(a) for a in tup], 2)


@dstack.sample_inputs
def _dstack_inputs(rng):
    yield ([rng.standard_normal((3, 2)), rng.standard_normal((3, 2, 2))],), {}


@pb.composite(np.append)
def append(arr, values, axis=None):
    """Both along an axis; all entries of both in a line where none is given."""
    if axis is None:
        return np.concatenate([np.reshape(arr, (-1,)), np.reshape(values, (-1,))])
    return np.concatenate([arr, values], axis)


@append.sample_inputs
def _append_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((2,))), {}
