"""Decompositions of matrices, and of stacks of them, that have several results.

What NumPy's functions take besides, and give as named tuples, is written in
`engine/numpy/written/decompositions.py`. Where singular values or eigenvalues are
equal, their vectors have no derivative: what needs one comes out as NaN.
"""

import numpy as np

import pullback as pb
from pullback import primitives


def _transposed(a):
    """Each matrix of a stack turned over."""
    return np.swapaxes(a, -1, -2)


def _of_differences(x, ones):
    """The matrix 1 / (x_j - x_i), and 0 on its diagonal; `ones` has its shape."""
    same = np.triu(np.tril(ones))
    return (1 - same) / (np.expand_dims(x, -2) - np.expand_dims(x, -1) + same)


@pb.formula(nondifferentiable=(0,))
def slogdet(a):
    """Sign and logarithm of |det A|: d log|det A| = tr(A^-1 dA); the sign is constant between its jumps."""
    sign, r = np.linalg.slogdet(a)

    def slogdet_pullback(grad_sign, grad):
        return np.expand_dims(grad, (-1, -2)) * _transposed(np.linalg.inv(a))

    return (sign, r), slogdet_pullback


@slogdet.sample_inputs
def _slogdet_inputs(rng):
    yield (rng.standard_normal((2, 3, 3)) + 3.0 * np.eye(3),), {}


@pb.formula(complex=True)
def slogdet_of_complex(a):
    """The same of complex matrices, d sign = sign i im(tr(A^-1 dA)): each changes by a part of one trace."""
    sign, r = np.linalg.slogdet(a)

    def slogdet_of_complex_pullback(grad_sign, grad):
        share = grad + primitives.imaginary(np.imag(grad_sign * sign))
        return np.expand_dims(share, (-1, -2)) * _transposed(np.linalg.inv(a))

    return (sign, r), slogdet_of_complex_pullback


@slogdet_of_complex.sample_inputs
def _slogdet_of_complex_inputs(rng):
    yield (rng.standard_normal((2, 3, 3)) + 1j * rng.standard_normal((2, 3, 3)) + 3.0 * np.eye(3),), {}


def _check_phases(of_vectors):
    """Refuse a loss that depends on the phases of complex vectors: any of them are right."""
    off = np.abs(np.imag(np.diagonal(of_vectors, 0, -2, -1)))
    if of_vectors.size > 0 and np.any(off > 1e-3 * (np.max(np.abs(of_vectors)) + 1e-3)):
        raise ValueError("the loss depends on the phases of complex vectors, which are arbitrary")


def _is_complex(a):
    return a.dtype == np.complex64 or a.dtype == np.complex128


@pb.formula(complex=True)
def eigh(a):
    """A = V diag(w) V^H: dw_i = (V^H dA V)_ii and dV = V (F * (V^H dA V)) with F_ij = 1 / (w_j - w_i).

    The function reads the lower triangle of `a` only, so all of the gradient is
    there: twice that of a symmetric change off the diagonal. M. Giles (2008),
    section 3.1.
    """
    w, v = np.linalg.eigh(a)

    def eigh_pullback(grad_w, grad_v):
        turned = _transposed(v)
        along = np.conj(v) * np.expand_dims(grad_w, -2)
        if grad_v is not None:
            of_v = np.matmul(turned, grad_v)
            if _is_complex(v):
                _check_phases(of_v)
            along = along + np.matmul(np.conj(v), _of_differences(w, np.ones_like(np.real(v))) * of_v)
        both = np.matmul(along, turned)
        twice = both + np.conj(_transposed(both))
        return (np.tril(twice) + np.tril(twice, -1)) / 2

    return (w, v), eigh_pullback


@eigh.sample_inputs
def _eigh_inputs(rng):
    a = rng.standard_normal((2, 3, 3))
    yield (np.matmul(a, np.swapaxes(a, -1, -2)),), {}


@pb.formula(complex=True)
def eigh_upper(a):
    """The same of the upper triangle, where the signs of the vectors may be others: `eigh`."""
    w, v = np.linalg.eigh(a, UPLO="U")

    def eigh_upper_pullback(grad_w, grad_v):
        turned = _transposed(v)
        along = np.conj(v) * np.expand_dims(grad_w, -2)
        if grad_v is not None:
            of_v = np.matmul(turned, grad_v)
            if _is_complex(v):
                _check_phases(of_v)
            along = along + np.matmul(np.conj(v), _of_differences(w, np.ones_like(np.real(v))) * of_v)
        both = np.matmul(along, turned)
        twice = both + np.conj(_transposed(both))
        return (np.triu(twice) + np.triu(twice, 1)) / 2

    return (w, v), eigh_upper_pullback


@eigh_upper.sample_inputs
def _eigh_upper_inputs(rng):
    a = rng.standard_normal((2, 3, 3))
    yield (np.matmul(a, np.swapaxes(a, -1, -2)),), {}


@pb.formula(complex=True)
def eig(a):
    """A V = V diag(w) V of length one: dw_i = (V^-1 dA V)_ii, and dV = V (F * (V^-1 dA V)) scaled.

    F_ij = 1 / (w_j - w_i). C. Boeddeker, P. Hanebrink, L. Drude, J. Heymann and R. Haeb-Umbach, "On the
    computation of complex-valued gradients with application to statistically optimum beamforming" (2017),
    section 4.7.
    """
    w, v = np.linalg.eig(a)

    def eig_pullback(grad_w, grad_v):
        turned = _transposed(v)
        inner = np.expand_dims(grad_w, -1) * turned
        if grad_v is not None:
            of_v = np.matmul(turned, grad_v)
            if _is_complex(v):
                _check_phases(of_v)
            along = np.expand_dims(np.real(np.diagonal(of_v, 0, -2, -1)), -2)
            scaled = of_v - np.matmul(turned, np.conj(v)) * along
            inner = inner + np.matmul(_of_differences(w, np.ones_like(v)) * scaled, turned)
        return np.linalg.solve(turned, inner)

    return (w, v), eig_pullback


@eig.sample_inputs
def _eig_inputs(rng):
    yield (rng.standard_normal((3, 3)) + np.diag([1.0, 3.0, 7.0]),), {}


@pb.composite(np.linalg.eig)
def linalg_eig(a):
    """Eigenvalues and eigenvectors of any square matrix."""
    return eig(a)


@pb.composite(np.linalg.eigvals)
def linalg_eigvals(a):
    """Eigenvalues of any square matrix, which must not be equal."""
    return eig(a)[0]


@pb.formula(complex=True)
def qr(a):
    """A = Q R with as many columns as A, which has no fewer rows.

    S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra
    functions with application in optimum experimental design" (2010), section 4.
    """
    q, r = np.linalg.qr(a)

    def qr_pullback(grad_q, grad_r):
        inner = np.matmul(r, _transposed(grad_r)) - np.matmul(_transposed(grad_q), q)
        strict = np.tril(inner, -1)
        diagonal = np.real(np.triu(np.tril(inner)))
        both = grad_q + np.matmul(np.conj(q), diagonal + np.conj(strict) + _transposed(strict))
        return _transposed(np.linalg.solve(r, _transposed(both)))

    return (q, r), qr_pullback


@qr.sample_inputs
def _qr_inputs(rng):
    yield (rng.standard_normal((2, 4, 3)),), {}


@pb.formula(complex=True)
def svd(a):
    """A = U diag(s) V^T with as many singular values as the shorter side.

    J. Townsend, "Differentiating the singular value decomposition" (2016),
    equations 28 to 31, with F_ij = 1 / (s_j**2 - s_i**2).
    """
    u, s, vh = np.linalg.svd(a, full_matrices=False)

    def svd_pullback(grad_u, grad_s, grad_vh):
        rows = np.expand_dims(s, -1)
        columns = np.expand_dims(s, -2)
        f = (
            None
            if grad_u is None and grad_vh is None
            else _of_differences(s * s, np.ones_like(rows * columns))
        )
        left = np.conj(u) * np.expand_dims(grad_s, -2)
        if grad_u is not None:
            of_u = np.matmul(_transposed(u), grad_u)
            left = left + np.matmul(np.conj(u), f * (of_u - np.conj(_transposed(of_u))) * columns)
            left = left + (grad_u - np.matmul(np.conj(u), of_u)) / columns
            if _is_complex(u):
                if grad_vh is None:
                    _check_phases(of_u)
                phase = np.diagonal(of_u - np.conj(of_u), 0, -2, -1)
                left = left + np.conj(u) * np.expand_dims(phase / (2 * s), -2)
        back = np.matmul(left, np.conj(vh))
        if grad_vh is not None:
            of_v = np.conj(np.matmul(vh, _transposed(grad_vh)))
            if _is_complex(u):
                _check_phases(of_v if grad_u is None else of_v + np.matmul(_transposed(u), grad_u))
            right = np.matmul(rows * (f * (of_v - np.conj(_transposed(of_v)))), np.conj(vh))
            rest = grad_vh - np.matmul(np.conj(_transposed(of_v)), np.conj(vh))
            back = back + np.matmul(np.conj(u), right + rest / rows)
        return back

    return (u, s, vh), svd_pullback


@svd.sample_inputs
def _svd_inputs(rng):
    yield (rng.standard_normal((4, 3)),), {}
    yield (rng.standard_normal((2, 2, 3)),), {}


@pb.composite(np.linalg.slogdet)
def linalg_slogdet(a):
    """Sign and logarithm of the determinant."""
    return slogdet_of_complex(a) if _is_complex(a) else slogdet(a)


def _eigh(a, uplo):
    """Eigenvalues and eigenvectors by the triangle that is read."""
    if uplo != "L" and uplo != "U":
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return eigh(a) if uplo == "L" else eigh_upper(a)


@pb.composite(np.linalg.eigh)
def linalg_eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric matrices."""
    return _eigh(a, UPLO)


@pb.composite(np.linalg.eigvalsh)
def linalg_eigvalsh(a, UPLO="L"):
    """Eigenvalues of symmetric matrices, also where some are equal."""
    return _eigh(a, UPLO)[0]


@pb.composite(np.linalg.qr)
def linalg_qr(a, mode="reduced"):
    """Of a matrix with more columns than rows the first ones give Q; the others are Q times the rest of R."""
    rows, columns = a.shape[-2], a.shape[-1]
    if mode != "reduced" and mode != "r" and mode != "complete":
        raise ValueError(f"a formula takes np.linalg.qr by 'reduced', 'r' or 'complete', not {mode!r}")
    if mode == "complete" and rows > columns:
        raise ValueError(
            "np.linalg.qr by 'complete' has further columns here, which are arbitrary: pass 'reduced'"
        )
    q, r = qr(a[..., : min(rows, columns)])
    if columns > rows:
        r = np.concatenate([r, np.matmul(_transposed(q), a[..., rows:])], -1)
    return r if mode == "r" else (q, r)


@pb.composite(np.linalg.svd)
def linalg_svd(a, full_matrices=True, compute_uv=True):
    """Singular vectors and values; full matrices of square ones only, for further vectors are arbitrary."""
    if not compute_uv:
        return svd(a)[1]
    if full_matrices and a.shape[-1] != a.shape[-2]:
        raise ValueError("np.linalg.svd with full_matrices=True has no derivative: pass full_matrices=False")
    return svd(a)


@pb.composite(np.linalg.svdvals)
def linalg_svdvals(x):
    """Singular values, also where some are equal."""
    return svd(x)[1]
