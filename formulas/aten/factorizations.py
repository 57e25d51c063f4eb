"""Gradients of factorizations of matrices.

Each follows from the differential of the product, solved for the factors' differentials. M^H is the conjugate
transpose; a unitary factor U changes by U W with W = -W^H, a triangular one within its triangle.
"""

from __future__ import annotations

from typing import Any

from pullback import aten

from .refusals import MissingDerivativeError


def _mm(*factors: Any) -> Any:
    product = factors[0]
    for factor in factors[1:]:
        product = aten.matmul(product, factor)
    return product


def _solve(a: Any, b: Any, upper: bool, left: bool = True, unit: bool = False) -> Any:
    return aten.linalg_solve_triangular(a, b, upper=upper, left=left, unitriangular=unit)


def _diagonal(vector: Any) -> Any:
    return aten.diag_embed(vector)


def cholesky_backward(grad: Any, upper: bool, factor: Any) -> Any:
    """A = L L^H: with P the lower triangle of L^H G, made Hermitian, dA takes L^-H P L^-1 / 2.

    Murray, Differentiation of the Cholesky decomposition, 2016.
    """
    lower = aten.mH(factor) if upper else factor
    grad = aten.mH(grad) if upper else grad
    p = aten.tril(_mm(aten.mH(lower), grad))
    p = 0.5 * (p + aten.mH(aten.tril(p, -1)))
    return _solve(aten.mH(lower), _solve(lower, p, False, left=False), True)


def cholesky_inverse_backward(grad: Any, self: Any, upper: bool, result: Any) -> Any:
    """R = (L L^H)^-1: dR = -R d(L L^H) R."""
    both = _mm(result, grad + aten.mH(grad), result)
    return -_mm(self, both) if upper else -_mm(both, self)


def cholesky_solve_backward(
    grad: Any, self: Any, factor: Any, result: Any, upper: bool, needed: tuple[bool, ...]
) -> Any:
    """L L^H X = B: dB takes (L L^H)^-1 G, and L L^H minus that times X^H."""
    grad_b = aten.cholesky_solve(grad, factor, upper)
    grad_factor = None
    if needed[1]:
        grad_a = -_mm(grad_b, aten.mH(result))
        both = grad_a + aten.mH(grad_a)
        grad_factor = _mm(factor, both) if upper else _mm(both, factor)
    return grad_b, grad_factor


def linalg_qr_backward(grad_q: Any, grad_r: Any, q: Any, r: Any, mode: str) -> Any:
    """A = Q R: with M = R G_R^H - G_Q^H Q made Hermitian from its lower triangle, (G_Q + Q M) R^-H.

    A wide matrix is a square one and columns Q^H Y. Roberts and Roberts, QR and LQ decomposition matrix
    backpropagation algorithms for square, wide, and deep matrices, 2020.
    """
    if grad_q is None and grad_r is None:
        return None
    rows, columns = q.shape[-2], r.shape[-1]
    if mode == "r":
        raise MissingDerivativeError("linalg.qr with mode='r' has no Q, which its derivative needs")
    if mode == "complete" and rows > columns:
        raise MissingDerivativeError("linalg.qr with mode='complete' of a tall matrix has no derivative")
    if rows >= columns:
        return _square_qr(grad_q, grad_r, q, r)
    r_square = aten.narrow(r, -1, 0, rows)
    grad_square = None if grad_r is None else aten.narrow(grad_r, -1, 0, rows)
    if grad_r is None:
        grad_rest = aten.zeros_like(aten.narrow(r, -1, rows, columns - rows))
        grad_whole = grad_q
    else:
        rest = aten.narrow(r, -1, rows, columns - rows)
        grad_rest = _mm(q, aten.narrow(grad_r, -1, rows, columns - rows))
        through = _mm(_mm(q, rest), aten.mH(aten.narrow(grad_r, -1, rows, columns - rows)))
        grad_whole = through if grad_q is None else grad_q + through
    return aten.cat((_square_qr(grad_whole, grad_square, q, r_square), grad_rest), -1)


def _square_qr(grad_q: Any, grad_r: Any, q: Any, r: Any) -> Any:
    m = aten.zeros_like(r)
    if grad_r is not None:
        m = m + _mm(r, aten.mH(grad_r))
    if grad_q is not None:
        m = m - _mm(aten.mH(grad_q), q)
    below = aten.tril(m, -1)
    middle = aten.diagonal(m, 0, -2, -1)
    middle = aten.to(aten.real(middle), m.dtype) if aten.is_complex(m) else middle
    total = _mm(q, below + aten.mH(below) + _diagonal(middle))
    total = total if grad_q is None else grad_q + total
    return _solve(aten.mH(r), total, False, left=False)


def _skew(matrix: Any) -> Any:
    return matrix - aten.mH(matrix)


def _differences(values: Any) -> Any:
    """v_j - v_i, with 1 on the diagonal."""
    made = aten.unsqueeze(values, -2) - aten.unsqueeze(values, -1)
    return made + _diagonal(aten.ones_like(values))


def svd_backward(grad_u: Any, grad_s: Any, grad_vh: Any, u: Any, s: Any, vh: Any) -> Any:
    """A = U S V^H. Within the singular vectors dA' = U^H dA V = dS + W_U S - S W_V, and outside of them
    the projections. Townsend, Differentiating the singular value decomposition, 2016; Wan and Zhang,
    Automatic differentiation for complex valued SVD, 2019.
    """
    if grad_u is None and grad_s is None and grad_vh is None:
        return None
    rows, columns, k = u.shape[-2], vh.shape[-1], s.shape[-1]
    if grad_u is None and grad_vh is None:
        return _mm(u * aten.unsqueeze(grad_s, -2), vh)
    gaps = _differences(s * s)
    wide, tall = aten.unsqueeze(s, -2), aten.unsqueeze(s, -1)
    inner = 0.0
    if grad_u is not None:
        w = _mm(aten.mH(u), grad_u)
        inner = inner + (_off(_skew(w)) / gaps) * wide
        if aten.is_complex(u):
            phase = aten.imag(aten.diagonal(w, 0, -2, -1)) / s
            inner = inner + _diagonal(1j * phase)
    if grad_vh is not None:
        w = _mm(vh, aten.mH(grad_vh))
        inner = inner + tall * (_off(_skew(w)) / gaps)
    if grad_s is not None:
        inner = inner + _diagonal(grad_s)
    total = _mm(u, inner, vh)
    if grad_u is not None and rows > k:
        scaled = grad_u / wide
        total = total + _mm(scaled - _mm(u, _mm(aten.mH(u), scaled)), vh)
    if grad_vh is not None and columns > k:
        scaled = grad_vh / tall
        total = total + _mm(u, scaled - _mm(_mm(scaled, aten.mH(vh)), vh))
    return total


def _off(matrix: Any) -> Any:
    """The matrix without its diagonal."""
    return matrix - _diagonal(aten.diagonal(matrix, 0, -2, -1))


def linalg_eig_backward(grad_l: Any, grad_v: Any, l: Any, v: Any, is_hermitian: bool = False) -> Any:  # noqa: E741
    """A V = V L: dV = V (F * V^-1 dA V), F_ij = 1/(l_j - l_i), with columns that stay of length 1.

    Of a Hermitian matrix V^-1 is V^H, and the gradient is Hermitian too. Giles, An extended collection of
    matrix derivative results, 2008.
    """
    if grad_l is None and grad_v is None:
        return None
    vh = aten.mH(v)
    inner = 0.0
    if grad_v is not None:
        w = _mm(vh, grad_v)
        if not is_hermitian:
            along = aten.real(aten.diagonal(w, 0, -2, -1))
            w = w - _mm(vh, v * aten.unsqueeze(along, -2))
        inner = _off(0.5 * _skew(w) if is_hermitian else w) / aten.conj(_differences(l))
    if grad_l is not None:
        inner = inner + _diagonal(grad_l)
    if is_hermitian:
        return _mm(v, inner, vh)
    return aten.linalg_solve(vh, _mm(inner, vh))


def linalg_lu_backward(grad_l: Any, grad_u: Any, p: Any, l: Any, u: Any, pivot: bool) -> Any:  # noqa: E741
    """A = P L U: with F the strict lower part of L^H G_L and the upper part of G_U U^H, P L^-H F U^-H.

    What a tall L or a wide U has beyond a square is a product of the other factor.
    """
    if grad_l is None and grad_u is None:
        return None
    rows, columns = l.shape[-2], u.shape[-1]
    k = min(rows, columns)
    grad_l = aten.zeros_like(l) if grad_l is None else grad_l
    grad_u = aten.zeros_like(u) if grad_u is None else grad_u
    square_l, square_u = aten.narrow(l, -2, 0, k), aten.narrow(u, -1, 0, k)
    first_l, first_u = aten.narrow(grad_l, -2, 0, k), aten.narrow(grad_u, -1, 0, k)
    rest = None
    if rows > k:
        rest = _solve(aten.mH(u), aten.narrow(grad_l, -2, k, rows - k), False, left=False)
        first_u = first_u - _mm(aten.mH(aten.narrow(l, -2, k, rows - k)), rest)
    elif columns > k:
        rest = _solve(aten.mH(l), aten.narrow(grad_u, -1, k, columns - k), True, unit=True)
        first_l = first_l - _mm(rest, aten.mH(aten.narrow(u, -1, k, columns - k)))
    f = aten.tril(_mm(aten.mH(square_l), first_l), -1) + aten.triu(_mm(first_u, aten.mH(square_u)))
    made = _solve(aten.mH(square_l), f, True, unit=True)
    made = _solve(aten.mH(square_u), made, False, left=False)
    if rest is not None:
        made = aten.cat((made, rest), -2 if rows > k else -1)
    return _mm(p, made) if pivot else made


def lu_factor_ex_backward(grad: Any, lu: Any, pivots: Any, pivot: bool) -> Any:
    """As of the factors, which stand in one matrix."""
    p, l, u = aten.lu_unpack(lu, pivots, True, pivot)  # noqa: E741
    rows, columns = lu.shape[-2:]
    k = min(rows, columns)
    grad_l = aten.tril(aten.narrow(grad, -1, 0, k), -1)
    grad_u = aten.triu(aten.narrow(grad, -2, 0, k))
    return linalg_lu_backward(grad_l, grad_u, p, l, u, pivot)


def lu_unpack_backward(grad_l: Any, grad_u: Any, rows: int, columns: int) -> Any:
    """The gradients of both triangles in one matrix."""
    parts = []
    for grad in (
        None if grad_l is None else aten.tril(grad_l, -1),
        None if grad_u is None else aten.triu(grad_u),
    ):
        if grad is not None:
            missing = (0, columns - grad.shape[-1], 0, rows - grad.shape[-2])
            parts.append(aten.constant_pad_nd(grad, missing, 0))
    return sum(parts[1:], parts[0]) if parts else None
