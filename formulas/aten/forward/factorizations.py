"""Tangents of factorizations of matrices.

Each is the differential of the product, solved for those of the factors: M^H is the conjugate transpose.
"""

from __future__ import annotations

from typing import Any

from pullback import aten

from ..factorizations import _diagonal, _differences, _mm, _off, _solve, lu_unpack_backward
from ..refusals import MissingDerivativeError


def _real(values: Any) -> Any:
    return aten.real(values) if aten.is_complex(values) else values


def _middle(matrix: Any) -> Any:
    return aten.diagonal(matrix, 0, -2, -1)


def cholesky_jvp(a_t: Any, factor: Any, upper: bool) -> Any:
    """A = L L^H: dL = L P, P the lower triangle of L^-1 dA L^-H with half the diagonal.

    Murray, Differentiation of the Cholesky decomposition, 2016.
    """
    lower = aten.mH(factor) if upper else factor
    inside = _solve(aten.mH(lower), _solve(lower, a_t, False), True, left=False)
    p = aten.tril(inside)
    lower_t = _mm(lower, p - 0.5 * _diagonal(_middle(p)))
    return aten.mH(lower_t) if upper else lower_t


def _product_t(factor: Any, factor_t: Any, upper: bool) -> Any:
    """d(L L^H), or d(U^H U)."""
    half = _mm(aten.mH(factor), factor_t) if upper else _mm(factor_t, aten.mH(factor))
    return half + aten.mH(half)


def cholesky_inverse_jvp(factor: Any, factor_t: Any, result: Any, upper: bool) -> Any:
    """R = (L L^H)^-1: dR = -R d(L L^H) R."""
    return -_mm(result, _product_t(factor, factor_t, upper), result)


def cholesky_solve_jvp(result: Any, factor: Any, factor_t: Any, b_t: Any, upper: bool) -> Any:
    """L L^H X = B: L L^H dX = dB - d(L L^H) X."""
    return aten.cholesky_solve(b_t - _mm(_product_t(factor, factor_t, upper), result), factor, upper)


def linalg_qr_jvp(a_t: Any, q: Any, r: Any, mode: str) -> tuple[Any, Any]:
    """A = Q R: Q^H dA R^-1 = Q^H dQ + dR R^-1 is a skew-Hermitian matrix and an upper triangle with a real
    diagonal. A wide matrix is a square one and columns Q^H Y.
    """
    rows, columns = q.shape[-2], r.shape[-1]
    if mode == "r" or (mode == "complete" and rows > columns):
        raise MissingDerivativeError(f"linalg.qr with mode={mode!r} of such a matrix has no derivative")
    k = min(rows, columns)
    square_r, square_t = aten.narrow(r, -1, 0, k), aten.narrow(a_t, -1, 0, k)
    whole = _solve(square_r, square_t, True, left=False)
    c = _mm(aten.mH(q), whole)
    both = aten.triu(c + aten.mH(c))
    triangle = both - 0.5 * _diagonal(_middle(both))
    q_t = whole - _mm(q, triangle)
    r_t = _mm(triangle, square_r)
    if columns > rows:
        rest, rest_t = (aten.narrow(given, -1, k, columns - rows) for given in (r, a_t))
        r_t = aten.cat((r_t, _mm(aten.mH(q), rest_t - _mm(q_t, rest))), -1)
    return q_t, r_t


def linalg_svd_jvp(a_t: Any, u: Any, s: Any, vh: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """A = U S V^H: P = U^H dA V = W_U S + dS - S W_V, with W_U and W_V skew-Hermitian; outside of the
    singular vectors the projections. Of complex vectors, whose phases are free, both turn by half of Im P/s.
    """
    rows, columns, k = u.shape[-2], vh.shape[-1], s.shape[-1]
    if full_matrices and rows != columns:
        raise MissingDerivativeError("the full SVD of a matrix that is not square has no derivative")
    p = _mm(aten.mH(u), a_t, aten.mH(vh))
    ph = aten.mH(p)
    s_t = _real(_middle(p))
    gaps = _differences(s * s)
    wide, tall = aten.unsqueeze(s, -2), aten.unsqueeze(s, -1)
    w_u = _off(p * wide + tall * ph) / gaps
    w_v = _off(tall * p + ph * wide) / gaps
    if aten.is_complex(p):
        phase = _diagonal(0.5j * aten.imag(_middle(p)) / s)
        w_u, w_v = w_u + phase, w_v - phase
    u_t, vh_t = _mm(u, w_u), _mm(aten.mH(w_v), vh)
    if rows > k:
        scaled = _mm(a_t, aten.mH(vh)) / wide
        u_t = u_t + scaled - _mm(u, _mm(aten.mH(u), scaled))
    if columns > k:
        scaled = _mm(aten.mH(u), a_t) / tall
        vh_t = vh_t + scaled - _mm(_mm(scaled, aten.mH(vh)), vh)
    return u_t, s_t, vh_t


def linalg_eig_jvp(a_t: Any, l: Any, v: Any, is_hermitian: bool = False) -> tuple[Any, Any]:  # noqa: E741
    """A V = V L: with P = V^-1 dA V, dL = diag P and dV = V (P_ij / (l_j - l_i)), in columns of length 1."""
    p = (
        _mm(aten.mH(v), aten.to(a_t, v.dtype), v)
        if is_hermitian
        else aten.linalg_solve(v, _mm(aten.to(a_t, v.dtype), v))
    )
    l_t = _real(_middle(p)) if is_hermitian else _middle(p)
    v_t = _mm(v, _off(p) / _differences(l))
    if not is_hermitian:
        along = aten.real(_middle(_mm(aten.mH(v), v_t)))
        v_t = v_t - v * aten.unsqueeze(along, -2)
    return l_t, v_t


def linalg_lu_jvp(a_t: Any, p: Any, l: Any, u: Any, pivot: bool) -> tuple[Any, Any]:  # noqa: E741
    """A = P L U: L^-1 P^T dA U^-1 is a strict lower triangle L^-1 dL and an upper one dU U^-1.

    What a tall L or a wide U has beyond a square follows from the other factor.
    """
    a_t = _mm(aten.mT(p), a_t) if pivot else a_t
    rows, columns = l.shape[-2], u.shape[-1]
    k = min(rows, columns)
    square_l, square_u = aten.narrow(l, -2, 0, k), aten.narrow(u, -1, 0, k)
    square_t = aten.narrow(aten.narrow(a_t, -2, 0, k), -1, 0, k)
    f = _solve(square_u, _solve(square_l, square_t, False, unit=True), True, left=False)
    l_t, u_t = _mm(square_l, aten.tril(f, -1)), _mm(aten.triu(f), square_u)
    if rows > k:
        below, below_t = (aten.narrow(given, -2, k, rows - k) for given in (l, a_t))
        l_t = aten.cat((l_t, _solve(square_u, below_t - _mm(below, u_t), True, left=False)), -2)
    elif columns > k:
        beside, beside_t = (aten.narrow(given, -1, k, columns - k) for given in (u, a_t))
        u_t = aten.cat((u_t, _solve(square_l, beside_t - _mm(l_t, beside), False, unit=True)), -1)
    return l_t, u_t


def lu_factor_ex_jvp(a_t: Any, lu: Any, pivots: Any, pivot: bool) -> Any:
    """As of the factors, which stand in one matrix."""
    p, l, u = aten.lu_unpack(lu, pivots, True, pivot)  # noqa: E741
    return lu_unpack_backward(*linalg_lu_jvp(a_t, p, l, u, pivot), *lu.shape[-2:])


def householder_product_jvp(input_t: Any, tau_t: Any, result: Any, input: Any, tau: Any) -> Any:
    """The product of 1 - t_i v_i v_i^H, by its factors from the last to the first."""
    rows, columns = input.shape[-2:]
    made = aten.expand(aten.eye(rows, columns, dtype=input.dtype, device=input.device), input.shape)
    made_t = aten.zeros_like(made)
    below, below_t = aten.tril(input, -1), aten.tril(input_t, -1)
    units = aten.eye(rows, columns, dtype=input.dtype, device=input.device)
    for i in reversed(range(tau.shape[-1])):
        v = aten.narrow(below, -1, i, 1) + aten.narrow(units, -1, i, 1)
        v_t = aten.narrow(below_t, -1, i, 1)
        t, t_t = (aten.unsqueeze(aten.narrow(given, -1, i, 1), -1) for given in (tau, tau_t))
        row, row_t = _mm(aten.mH(v), made), _mm(aten.mH(v_t), made) + _mm(aten.mH(v), made_t)
        made_t = made_t - _mm(t_t * v + t * v_t, row) - _mm(t * v, row_t)
        made = made - _mm(t * v, row)
    return made_t
