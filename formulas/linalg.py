"""Products of vectors, matrices and stacks of matrices."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(np.matmul, complex=True)
def matmul(x1, x2):
    """R = A B: the gradients are G B^T and A^T G.

    A vector on the left is a matrix of one row, on the right of one column.
    M. Giles, "An extended collection of matrix derivative results for forward
    and reverse mode algorithmic differentiation" (2008), section 2.2.2.
    """
    r = np.matmul(x1, x2)

    def matmul_pullback(grad):
        return primitives.matmul_gradients(grad, x1, x2)

    return r, matmul_pullback


@pb.composite(primitives.matmul_gradients)
def matmul_gradients(grad, x1, x2):
    """The gradients of both factors, summed over the stack where a factor is there once for all of it."""
    a = np.expand_dims(x1, 0) if x1.ndim == 1 else x1
    b = np.expand_dims(x2, 1) if x2.ndim == 1 else x2
    columns = np.expand_dims(grad, -1) if x2.ndim == 1 else grad
    g = np.expand_dims(columns, -2) if x1.ndim == 1 else columns
    grad_a = np.matmul(g, np.swapaxes(b, -1, -2))
    grad_b = np.matmul(np.swapaxes(a, -1, -2), g)
    grad_b = np.squeeze(grad_b, -1) if x2.ndim == 1 else grad_b
    return primitives.sum_to(grad_a, primitives.like(x1)), primitives.sum_to(grad_b, primitives.like(x2))


@matmul_gradients.sample_inputs
def _matmul_gradients_inputs(rng):
    yield (rng.standard_normal((2, 4)), rng.standard_normal((2, 3)), rng.standard_normal((3, 4))), {}
    yield (rng.standard_normal((5, 4)), rng.standard_normal((3,)), rng.standard_normal((5, 3, 4))), {}
    yield (rng.standard_normal(()), rng.standard_normal((3,)), rng.standard_normal((3,))), {}


@matmul.sample_inputs
def _matmul_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((3, 4))), {}
    yield (rng.standard_normal((2, 1, 2, 3)), rng.standard_normal((5, 3, 2))), {}
    yield (rng.standard_normal((3,)), rng.standard_normal((2, 3, 4))), {}
    yield (rng.standard_normal((2, 4, 3)), rng.standard_normal((3,))), {}
    yield (rng.standard_normal((3,)), rng.standard_normal((3,))), {}


@pb.formula(np.outer, complex=True)
def outer(a, b):
    """The matrix a_i b_j of two operands read as vectors."""
    r = np.outer(a, b)

    def outer_pullback(grad):
        along_a = np.matmul(grad, np.reshape(b, (-1,)))
        along_b = np.matmul(np.reshape(a, (-1,)), grad)
        return np.reshape(along_a, a.shape), np.reshape(along_b, b.shape)

    return r, outer_pullback


@outer.sample_inputs
def _outer_inputs(rng):
    yield (rng.standard_normal((3,)), rng.standard_normal((2, 2))), {}
