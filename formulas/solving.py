"""Inverses, solutions, determinants and factors of matrices, and of stacks of them.

M. Giles, "An extended collection of matrix derivative results for forward and
reverse mode algorithmic differentiation" (2008), sections 2.2 and 2.3, where no
other source is named.
"""

import numpy as np

import pullback as pb


def _transposed(a):
    """Each matrix of a stack turned over."""
    return np.swapaxes(a, -1, -2)


@pb.formula(np.linalg.inv, complex=True)
def inv(a):
    """R = A^-1: dR = -R dA R."""
    r = np.linalg.inv(a)

    def inv_pullback(grad):
        turned = _transposed(r)
        return -np.matmul(turned, np.matmul(grad, turned))

    return r, inv_pullback


@inv.sample_inputs
def _inv_inputs(rng):
    yield (_regular(rng, 2, 3),), {}


@pb.formula(np.linalg.solve, complex=True)
def solve(a, b):
    """A X = B: dX = A^-1 (dB - dA X). A `b` of one axis is one column."""
    r = np.linalg.solve(a, b)

    def solve_pullback(grad):
        if b.ndim == 1:
            back = np.squeeze(np.linalg.solve(_transposed(a), np.expand_dims(grad, -1)), -1)
            by_a = -np.expand_dims(back, -1) * np.expand_dims(r, -2)
        else:
            back = np.linalg.solve(_transposed(a), grad)
            by_a = -np.matmul(back, _transposed(r))
        return by_a, back

    return r, solve_pullback


@solve.sample_inputs
def _solve_inputs(rng):
    yield (_regular(rng, 3), rng.standard_normal((3,))), {}
    yield (_regular(rng, 2, 3), rng.standard_normal((3,))), {}
    yield (_regular(rng, 2, 3), rng.standard_normal((3, 2))), {}


@pb.formula(np.linalg.det, complex=True)
def det(a):
    """d det(A) = det(A) tr(A^-1 dA), Jacobi's formula.

    A singular matrix has a derivative too, but no inverse: LinAlgError.
    """
    r = np.linalg.det(a)

    def det_pullback(grad):
        return np.expand_dims(grad * r, (-1, -2)) * _transposed(np.linalg.inv(a))

    return r, det_pullback


@det.sample_inputs
def _det_inputs(rng):
    yield (_regular(rng, 3),), {}
    yield (_regular(rng, 2, 2),), {}


@pb.formula(np.linalg.cholesky, complex=True)
def cholesky(a):
    """A = L L^H: dL = L P(L^-1 dA L^-H), where P takes the lower triangle with half the diagonal.

    The function reads the lower triangle of `a` only, so all of the gradient is
    there: twice that of a symmetric change off the diagonal. I. Murray,
    "Differentiation of the Cholesky decomposition" (2016), section 3.
    """
    r = np.linalg.cholesky(a)

    def cholesky_pullback(grad):
        turned = _transposed(r)
        inner = _half_diagonal(np.tril(np.matmul(turned, grad)))
        left = np.linalg.solve(turned, inner)
        both = _transposed(np.linalg.solve(np.conj(turned), _transposed(left)))
        return _lower(both)

    return r, cholesky_pullback


@cholesky.sample_inputs
def _cholesky_inputs(rng):
    a = _regular(rng, 2, 3)
    yield (np.matmul(a, np.swapaxes(a, -1, -2)),), {}


def _half_diagonal(a):
    """A matrix with its diagonal halved."""
    return a - 0.5 * np.triu(np.tril(a))


def _lower(s):
    """The gradient by the lower triangle of a Hermitian matrix, of that by all of it."""
    return np.tril(s + np.conj(_transposed(s))) - np.real(np.triu(np.tril(s)))


@pb.formula(np.linalg.pinv, complex=True)
def pinv(a, *, rcond=None):
    """dP = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P, where the rank stays the same.

    G. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear
    least squares problems whose variables separate" (1973), theorem 4.3.
    """
    r = np.linalg.pinv(a, rcond)

    def pinv_pullback(grad):
        turned = _transposed(r)
        back = _transposed(grad)
        rows = np.matmul(back, np.matmul(r, np.conj(turned)))
        columns = np.matmul(np.conj(turned), np.matmul(r, back))
        rest = rows - np.matmul(a, np.matmul(r, rows)) + columns - np.matmul(np.matmul(columns, r), a)
        return np.conj(rest) - np.matmul(turned, np.matmul(grad, turned))

    return r, pinv_pullback


@pinv.sample_inputs
def _pinv_inputs(rng):
    yield (rng.standard_normal((4, 2)),), {}
    yield (rng.standard_normal((2, 2, 3)),), {}


def _regular(rng, *shape):
    """Matrices far from singular ones, of the last length."""
    n = shape[-1]
    return rng.standard_normal((*shape, n)) + 2.0 * n**0.5 * np.eye(n)
