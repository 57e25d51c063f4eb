"""Norms, powers and solutions that are made of decompositions and products."""

import math

import numpy as np

import pullback as pb
from pullback import primitives


@pb.composite(np.linalg.matrix_power)
def linalg_matrix_power(a, n):
    """By repeated squaring."""
    if n == 0:
        return np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape) + 0 * a
    square, left, r = np.linalg.inv(a) if n < 0 else a, abs(n), None
    for _ in range(32):
        if left % 2 == 1:
            r = square if r is None else np.matmul(r, square)
        left = left // 2
        if left > 0:
            square = np.matmul(square, square)
    return r


@pb.composite(np.linalg.lstsq)
def linalg_lstsq(a, b, rcond=None):
    """Solution, sums of squares and singular values have derivatives where the rank stays the same."""
    _, sums, rank, _ = np.linalg.lstsq(pb.stop_gradient(a), pb.stop_gradient(b), rcond)
    least = 1.1920928955078125e-07 if a.dtype == np.float32 else 2.220446049250313e-16
    smallest = least * max(a.shape[0], a.shape[1]) if rcond is None else rcond
    x = np.matmul(np.linalg.pinv(a, smallest), b)
    squares = np.reshape(np.sum((np.matmul(a, x) - b) ** 2, axis=0), (-1,))
    return x, squares[: np.size(sums)], rank, np.linalg.svdvals(a)


@pb.composite(np.linalg.tensorinv)
def linalg_tensorinv(a, ind=2):
    """The inverse of the matrix that the first and the other axes make."""
    front, back = a.shape[:ind], a.shape[ind:]
    return np.reshape(np.linalg.inv(np.reshape(a, (math.prod(back), -1))), (*back, *front))


@linalg_tensorinv.sample_inputs
def _linalg_tensorinv_inputs(rng):
    yield (rng.standard_normal((4, 2, 2)) + 3 * np.eye(4).reshape(4, 2, 2),), {"ind": 1}


@pb.composite(np.linalg.tensorsolve)
def linalg_tensorsolve(a, b):
    """The solution for the matrix that the axes of `b` and the others make."""
    shape = a.shape[b.ndim :]
    return np.reshape(np.linalg.solve(np.reshape(a, (-1, math.prod(shape))), np.reshape(b, (-1,))), shape)


@linalg_tensorsolve.sample_inputs
def _linalg_tensorsolve_inputs(rng):
    a = rng.standard_normal((2, 2, 4)) + 3 * np.eye(4).reshape(2, 2, 4)
    yield (a, rng.standard_normal((2, 2))), {}


def _norm(x, ord, keepdims):
    """A norm of each matrix of the last two axes."""
    if ord is None or ord == "fro" or ord == "f":
        return np.sqrt(np.sum(x * x, axis=(-2, -1), keepdims=keepdims))
    if ord == 1 or ord == -1:
        sums = np.sum(np.abs(x), axis=-2, keepdims=True)
    elif ord == np.inf or ord == -np.inf:
        sums = np.sum(np.abs(x), axis=-1, keepdims=True)
    elif ord == 2 or ord == -2 or ord == "nuc":
        sums = np.expand_dims(np.linalg.svdvals(x), -1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    if ord == "nuc":
        return np.sum(sums, axis=(-2, -1), keepdims=keepdims)
    if ord == 1 or ord == np.inf or ord == 2:
        return np.max(sums, axis=(-2, -1), keepdims=keepdims)
    return np.min(sums, axis=(-2, -1), keepdims=keepdims)


@pb.composite(np.linalg.matrix_norm)
def linalg_matrix_norm(x, *, keepdims=False, ord="fro"):
    """A norm of each matrix of a stack."""
    return _norm(x, ord, keepdims)


@pb.composite(np.linalg.vector_norm)
def linalg_vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """A norm of the entries along axes, or of all."""
    flat = primitives.flatten_axes(x, axis=axis)
    if ord == 0:  # noqa: SIM108 - a line for each
        r = np.sum(np.astype(flat != 0, np.real(x).dtype), axis=-1)
    else:
        r = np.linalg.norm(flat, ord, -1)
    if not keepdims:
        return r
    return np.reshape(r, (1,) * x.ndim) if axis is None else np.expand_dims(r, axis)


@pb.composite(np.linalg.cond)
def linalg_cond(x, p=None):
    """The condition number: how much a solution magnifies errors."""
    if p is None or p == 2 or p == -2:
        s = np.linalg.svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return _norm(x, p, False) * _norm(np.linalg.inv(x), p, False)
