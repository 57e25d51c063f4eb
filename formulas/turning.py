"""Axes read backwards and exchanged: rows, columns, planes."""

import numpy as np

import pullback as pb


@pb.composite(np.fliplr)
def fliplr(m):
    """The second axis reversed."""
    return np.flip(m, 1)


@pb.composite(np.flipud)
def flipud(m):
    """The first axis reversed."""
    return np.flip(m, 0)


@pb.composite(np.rot90)
def rot90(m, k=1, axes=(0, 1)):
    """A plane of two axes turned by right angles, from the first towards the second.

    >>> rot90(pb.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[2., 4.],
            [1., 3.]])
    """
    first, second = axes
    same = first == second or first - second in (m.ndim, -m.ndim)
    if same or max(first, second) >= m.ndim or min(first, second) < -m.ndim:
        raise ValueError(f"np.rot90 turns a plane of two different axes, not {first} and {second}")
    turns = k % 4
    if turns == 0:
        return m
    if turns == 1:
        return np.swapaxes(np.flip(m, second), first, second)
    if turns == 2:
        return np.flip(np.flip(m, first), second)
    return np.flip(np.swapaxes(m, first, second), second)


@pb.composite(np.matrix_transpose)
def matrix_transpose(x):
    """Each matrix of a stack turned over."""
    return np.swapaxes(x, -1, -2)


@pb.composite(np.linalg.matrix_transpose)
def linalg_matrix_transpose(x):
    """The same as `np.matrix_transpose`."""
    return np.swapaxes(x, -1, -2)
