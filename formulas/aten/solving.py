"""Gradients of solutions, determinants, inverses and exponentials of matrices.

A X = B gives A dX = dB - dA X: the cotangent of B is A^-H G, and of A it is minus that times X^H.
"""

from __future__ import annotations

from typing import Any

from pullback import aten

from .running import records_gradients


def _mm(*factors: Any) -> Any:
    product = factors[0]
    for factor in factors[1:]:
        product = aten.matmul(product, factor)
    return product


def linalg_solve_backward(grad: Any, x: Any, a: Any, lu: Any, pivots: Any, left: bool, needs_b: bool) -> Any:
    """Of A and B in A X = B, or in X A = B; B may be a vector."""
    vector = x.ndim == 1 or (x.ndim == a.ndim - 1 and tuple(x.shape) == tuple(a.shape[:-1]))
    if vector:
        grad, x = aten.unsqueeze(grad, -1), aten.unsqueeze(x, -1)
    if records_gradients():  # of A itself, so that its own gradient is not lost
        grad_b = aten.linalg_solve(aten.mH(a), grad, left=left)
    else:
        grad_b = aten.linalg_lu_solve(lu, pivots, grad, left=left, adjoint=True)
    grad_a = -_mm(grad_b, aten.mH(x)) if left else -_mm(aten.mH(x), grad_b)
    return grad_a, aten.squeeze(grad_b, -1) if vector else grad_b


def linalg_lu_solve_LU(grad: Any, lu: Any, pivots: Any, x: Any, left: bool, adjoint: bool) -> Any:
    """Of the factors in P L U X = B, its adjoint, or with X on the left: dA = P (dL U + L dU)."""
    grad_b = aten.linalg_lu_solve(lu, pivots, grad, left=left, adjoint=not adjoint)
    if left:
        grad_a = -_mm(x, aten.mH(grad_b)) if adjoint else -_mm(grad_b, aten.mH(x))
    else:
        grad_a = -_mm(aten.mH(grad_b), x) if adjoint else -_mm(aten.mH(x), grad_b)
    p, l, u = aten.lu_unpack(lu, pivots)  # noqa: E741
    inside = _mm(aten.mT(p), grad_a)
    return aten.tril(_mm(inside, aten.mH(u)), -1) + aten.triu(_mm(aten.mH(l), inside))


def linalg_solve_triangular_backward(
    grad: Any, a: Any, x: Any, upper: bool, left: bool, unitriangular: bool, needed: tuple[bool, ...]
) -> Any:
    """Of A, within its triangle, and of B."""
    grad_b = aten.linalg_solve_triangular(
        aten.mH(a), grad, upper=not upper, left=left, unitriangular=unitriangular
    )
    grad_a = None
    if needed[0]:
        whole = -_mm(grad_b, aten.mH(x)) if left else -_mm(aten.mH(x), grad_b)
        grad_a = _triangle(whole, upper, unitriangular)
    return grad_a, grad_b if needed[1] else None


def _triangle(matrix: Any, upper: bool, unitriangular: bool) -> Any:
    first = int(unitriangular)
    return aten.triu(matrix, first) if upper else aten.tril(matrix, -first)


def triangular_solve_backward(
    grad_x: Any,
    grad_a: Any,
    b: Any,
    a: Any,
    x: Any,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
    needed: tuple[bool, ...],
) -> Any:
    """Of B and A in A X = B or A^T X = B; the second result is A itself."""
    grad_b = None
    if grad_x is not None:
        adjoint = aten.conj(a) if transpose else aten.mH(a)
        grad_b = aten.linalg_solve_triangular(
            adjoint, grad_x, upper=upper == transpose, left=True, unitriangular=unitriangular
        )
        if needed[1]:
            whole = -_mm(aten.conj(x), aten.mT(grad_b)) if transpose else -_mm(grad_b, aten.mH(x))
            part = _triangle(whole, upper, unitriangular)
            grad_a = part if grad_a is None else grad_a + part
    return grad_b, grad_a


def linalg_det_backward(grad: Any, det: Any, a: Any, lu: Any, pivots: Any) -> Any:
    """d det A = tr(adj(A) dA). The adjugate is det(A) A^-1; of a singular matrix, from singular values.

    With A = U S V^H it is det(U V^H) V (the product of the other singular values) U^H.
    """
    grad = aten.unsqueeze(aten.unsqueeze(grad, -1), -1)
    if records_gradients():
        whole = aten.unsqueeze(aten.unsqueeze(det, -1), -1)
        return aten.linalg_solve(aten.mH(a), grad * aten.conj(whole) * _identity(a))
    from .reductions import _others

    u, s, vh = aten.linalg_svd(a, False)
    phase = aten.linalg_det(u) * aten.linalg_det(vh)
    phase = aten.unsqueeze(aten.unsqueeze(phase, -1), -1)
    others = aten.unsqueeze(_others(s, -1), -2)
    return grad * aten.conj(phase) * _mm(u * others, vh)


def _identity(a: Any) -> Any:
    return aten.eye(a.shape[-1], dtype=a.dtype, device=a.device)


def slogdet_backward(grad_sign: Any, grad_logabsdet: Any, a: Any, sign: Any, lu: Any, pivots: Any) -> Any:
    """With z = tr(A^-1 dA): log |det A| changes by Re z, the sign of det A by i sign Im z."""
    factor = None
    if grad_logabsdet is not None:
        factor = grad_logabsdet
    if grad_sign is not None and aten.is_complex(a):
        turned = -1j * aten.imag(aten.conj(grad_sign) * sign)
        factor = turned if factor is None else factor + turned
    if factor is None:
        return None
    factor = aten.unsqueeze(aten.unsqueeze(factor, -1), -1)
    return aten.linalg_solve(aten.mH(a), factor * _identity(a))


def pinv_backward(grad: Any, pinv: Any, a: Any) -> Any:
    """dP = -P dA P + P P^H dA^H (1 - A P) + (1 - P A) dA^H P^H P.

    Golub and Pereyra, The differentiation of pseudo-inverses, 1973.
    """
    ph, gh = aten.mH(pinv), aten.mH(grad)
    first = -_mm(ph, grad, ph)
    outer = _mm(gh, pinv, ph)
    second = outer - _mm(a, _mm(pinv, outer))
    inner = _mm(ph, pinv, gh)
    third = inner - _mm(_mm(inner, pinv), a)
    return first + second + third


def linalg_lstsq_backward(
    grad_x: Any, grad_residuals: Any, a: Any, b: Any, x: Any, needed: tuple[bool, ...]
) -> Any:
    """X = A^+ B, and residuals |B - A X|**2, to which X adds nothing, for it is the best."""
    grad_a = grad_b = None
    vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and tuple(b.shape) == tuple(a.shape[:-1]))
    if vector:
        b, x = aten.unsqueeze(b, -1), aten.unsqueeze(x, -1)
        grad_x = None if grad_x is None else aten.unsqueeze(grad_x, -1)
    if grad_x is not None:
        inverse = aten.linalg_pinv(a)
        grad_a = pinv_backward(_mm(grad_x, aten.mH(b)), inverse, a)
        grad_b = _mm(aten.mH(inverse), grad_x)
    if grad_residuals is not None and aten.numel(grad_residuals):
        scaled = 2.0 * aten.unsqueeze(grad_residuals, -2) * (_mm(a, x) - b)
        grad_a = _mm(scaled, aten.mH(x)) if grad_a is None else grad_a + _mm(scaled, aten.mH(x))
        grad_b = -scaled if grad_b is None else grad_b - scaled
    if vector and grad_b is not None:
        grad_b = aten.squeeze(grad_b, -1)
    return grad_a, grad_b


def linalg_matrix_exp_differential(a: Any, change: Any, adjoint: bool) -> Any:
    """The upper right block of exp([[A, E], [0, A]]) is the derivative of exp at A along E.

    Its adjoint is that at A^H. Najfeld and Havel, Derivatives of the matrix exponential, 1995.
    """
    a = aten.mH(a) if adjoint else a
    n = a.shape[-1]
    top = aten.cat((a, change), -1)
    bottom = aten.cat((aten.zeros_like(a), a), -1)
    whole = aten.linalg_matrix_exp(aten.cat((top, bottom), -2))
    return aten.narrow(aten.narrow(whole, -2, 0, n), -1, n, n)


def _reflectors(grad: Any, columns: Any, tau: Any) -> Any:
    """Of Q = H_1 ... H_k, cut to the columns of `grad`, H = 1 - t v v^H with v = (0, 1, column).

    With A = (H_1 ... H_(i-1))^H G and R = H_(i+1) ... H_k: v takes -conj(t) A (R^H v) - t R (A^H v).
    """
    rows, k = columns.shape[-2], tau.shape[-1]
    if k == 0:
        return aten.zeros_like(columns), aten.zeros_like(tau)
    eye = aten.eye(rows, dtype=columns.dtype, device=columns.device)
    vectors = [
        aten.tril(aten.narrow(columns, -1, i, 1), -1 - i) + aten.narrow(eye, -1, i, 1) for i in range(k)
    ]
    taus = [aten.unsqueeze(aten.narrow(tau, -1, i, 1), -1) for i in range(k)]
    behind = [aten.narrow(eye, -1, 0, grad.shape[-1])]
    for v, t in reversed(list(zip(vectors[1:], taus[1:], strict=True))):
        behind.append(behind[-1] - t * _mm(v, _mm(aten.mH(v), behind[-1])))
    ahead = grad
    grads, grad_taus = [], []
    for v, t, right in zip(vectors, taus, reversed(behind), strict=True):
        gv = _mm(ahead, _mm(aten.mH(right), v))
        hv = _mm(right, _mm(aten.mH(ahead), v))
        grads.append(-aten.conj(t) * gv - t * hv)
        grad_taus.append(-_mm(aten.mH(v), gv))
        ahead = ahead - aten.conj(t) * _mm(v, _mm(aten.mH(v), ahead))
    grad_columns = aten.tril(aten.cat(grads, -1), -1)
    missing = columns.shape[-1] - k
    if missing:
        grad_columns = aten.constant_pad_nd(grad_columns, (0, missing), 0)
    return grad_columns, aten.squeeze(aten.cat(grad_taus, -1), -2)


def householder_product_backward(grad: Any, result: Any, columns: Any, tau: Any) -> Any:
    """Of the vectors below the diagonal, and of their factors, in a product of reflections."""
    return _reflectors(grad, columns, tau)


def ormqr_backward(
    grad: Any,
    result: Any,
    columns: Any,
    tau: Any,
    other: Any,
    left: bool,
    transpose: bool,
    needed: tuple[bool, ...],
) -> Any:
    """Of a product with Q, or Q^H, of reflections, and of the matrix that it is multiplied with."""
    grad_columns = grad_tau = None
    if needed[0] or needed[1]:
        if left:
            grad_q = _mm(grad, aten.mH(other)) if not transpose else _mm(other, aten.mH(grad))
        else:
            grad_q = _mm(aten.mH(other), grad) if not transpose else _mm(aten.mH(grad), other)
        grad_columns, grad_tau = _reflectors(grad_q, columns, tau)
    grad_other = aten.ormqr(columns, tau, grad, left, not transpose) if needed[2] else None
    return grad_columns, grad_tau, grad_other
