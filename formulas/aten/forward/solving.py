"""Tangents of solutions, determinants and inverses: A X = B gives A dX = dB - dA X."""

from __future__ import annotations

from typing import Any

from pullback import aten

from ..solving import _mm, _triangle


def _trace(matrix: Any) -> Any:
    return aten.sum(aten.diagonal(matrix, 0, -2, -1), (-1,))


def linalg_det_jvp(a_t: Any, det: Any, lu: Any, pivots: Any, transposed: bool) -> Any:
    """d det A = det A tr(A^-1 dA), by the factors of A or of A^T."""
    return det * _trace(aten.linalg_lu_solve(lu, pivots, a_t, left=True, adjoint=transposed))


def slogdet_jvp(lu: Any, pivots: Any, a_t: Any, sign: Any, transposed: bool) -> tuple[Any, Any]:
    """With z = tr(A^-1 dA): log |det A| changes by Re z, the sign of det A by i sign Im z."""
    z = _trace(aten.linalg_lu_solve(lu, pivots, a_t, left=True, adjoint=transposed))
    if aten.is_complex(z):
        return 1j * aten.imag(z) * sign, aten.real(z)
    return aten.zeros_like(sign), z


def linalg_solve_jvp(a_t: Any, b_t: Any, x: Any, lu: Any, pivots: Any, left: bool) -> Any:
    """A dX = dB - dA X, or dX A = dB - X dA; B may be a vector."""
    vector = x.ndim == 1 or (x.ndim == lu.ndim - 1 and tuple(x.shape) == tuple(lu.shape[:-1]))
    if vector:
        x, b_t = aten.unsqueeze(x, -1), aten.unsqueeze(b_t, -1)
    made = aten.linalg_lu_solve(lu, pivots, b_t - (_mm(a_t, x) if left else _mm(x, a_t)), left=left)
    return aten.squeeze(made, -1) if vector else made


def linalg_lu_solve_jvp(x: Any, lu: Any, pivots: Any, lu_t: Any, b_t: Any, left: bool, adjoint: bool) -> Any:
    """P L U X = B, its adjoint, or with X on the left: dA = P (dL U + L dU)."""
    p, l, u = aten.lu_unpack(lu, pivots)  # noqa: E741
    a_t = _mm(p, _mm(aten.tril(lu_t, -1), u) + _mm(l, aten.triu(lu_t)))
    a_t = aten.mH(a_t) if adjoint else a_t
    rest = b_t - (_mm(a_t, x) if left else _mm(x, a_t))
    return aten.linalg_lu_solve(lu, pivots, rest, left=left, adjoint=adjoint)


def linalg_solve_triangular_forward_AD(
    a_t: Any, b_t: Any, a: Any, x: Any, upper: bool, left: bool, unitriangular: bool
) -> Any:
    """As of any A, within its triangle."""
    a_t = _triangle(a_t, upper, unitriangular)
    rest = b_t - (_mm(a_t, x) if left else _mm(x, a_t))
    return aten.linalg_solve_triangular(a, rest, upper=upper, left=left, unitriangular=unitriangular)


def triangular_solve_jvp(
    x: Any, a: Any, a_t: Any, b_t: Any, upper: bool, transpose: bool, unitriangular: bool
) -> Any:
    """A X = B, or A^T X = B."""
    a_t = _triangle(a_t, upper, unitriangular)
    if transpose:
        a, a_t, upper = aten.mT(a), aten.mT(a_t), not upper
    rest = b_t - _mm(a_t, x)
    return aten.linalg_solve_triangular(a, rest, upper=upper, left=True, unitriangular=unitriangular)


def pinv_jvp(a: Any, pinv: Any, a_t: Any) -> Any:
    """dP = -P dA P + P P^H dA^H (1 - A P) + (1 - P A) dA^H P^H P.

    Golub and Pereyra, The differentiation of pseudo-inverses, 1973.
    """
    ph, ah_t = aten.mH(pinv), aten.mH(a_t)
    right = _mm(pinv, ph, ah_t)
    left = _mm(ah_t, ph, pinv)
    return -_mm(pinv, a_t, pinv) + right - _mm(right, a, pinv) + left - _mm(pinv, a, left)


def _is_vector(a: Any, b: Any) -> bool:
    return bool(b.ndim == 1 or (b.ndim == a.ndim - 1 and tuple(b.shape) == tuple(a.shape[:-1])))


def linalg_lstsq_solution_jvp(a: Any, b: Any, a_t: Any, b_t: Any) -> Any:
    """X = A^+ B."""
    vector = _is_vector(a, b)
    if vector:
        b, b_t = aten.unsqueeze(b, -1), aten.unsqueeze(b_t, -1)
    pinv = aten.linalg_pinv(a)
    made = _mm(pinv_jvp(a, pinv, a_t), b) + _mm(pinv, b_t)
    return aten.squeeze(made, -1) if vector else made


def linalg_lstsq_residuals_jvp(a: Any, b: Any, a_t: Any, b_t: Any, x: Any, residuals: Any) -> Any:
    """|B - A X|**2, to which dX adds nothing, for X is the best."""
    if aten.numel(residuals) == 0:
        return aten.zeros_like(residuals)
    vector = _is_vector(a, b)
    if vector:
        b, b_t, x = (aten.unsqueeze(given, -1) for given in (b, b_t, x))
    along = aten.conj(_mm(a, x) - b) * (_mm(a_t, x) - b_t)
    along = aten.real(along) if aten.is_complex(along) else along
    return 2 * aten.reshape(aten.sum(along, (-2,)), residuals.shape)
