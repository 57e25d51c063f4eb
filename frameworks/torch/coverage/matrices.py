"""Products and decompositions of matrices, with PyTorch's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

import pullback as pb
import pullback.numpy as np

from .arguments import NotTakenError, axes, cast


def _adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def _added(product: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """`beta` of the first and `alpha` of a product of the others."""
    return lambda x, a, b, beta=1, alpha=1, **_: beta * x + alpha * product(a, b)


def _cholesky(x: Any, upper: bool = False) -> Any:
    lower = np.linalg.cholesky(x)
    return _adjoint(lower) if upper else lower


def _solve(a: Any, b: Any, left: bool = True) -> Any:
    if not left:
        return _adjoint(_solve(_adjoint(a), _adjoint(b)))
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]):
        return np.linalg.solve(a, np.expand_dims(b, -1))[..., 0]
    return np.linalg.solve(a, b)


def _solve_triangular(a: Any, b: Any, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    a = np.triu(a, int(unitriangular)) if upper else np.tril(a, -int(unitriangular))
    return _solve(a + np.eye(a.shape[-1]) if unitriangular else a, b, left)


def _triangular_solve(
    b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Any, Any]:
    matrix = np.triu(a, int(unitriangular)) if upper else np.tril(a, -int(unitriangular))
    matrix = matrix + np.eye(a.shape[-1]) if unitriangular else matrix
    return np.linalg.solve(np.swapaxes(matrix, -1, -2) if transpose else matrix, b), np.copy(a)


def _gram(factor: Any, upper: bool) -> Any:
    return _adjoint(factor) @ factor if upper else factor @ _adjoint(factor)


def _pinv(x: Any, rtol: Any = None, hermitian: bool = False, rcond: Any = None, atol: Any = None) -> Any:
    if atol is not None:
        raise NotTakenError("an absolute tolerance")
    rtol = rcond if rtol is None else rtol
    return np.linalg.pinv(x, hermitian=hermitian) if rtol is None else np.linalg.pinv(x, rtol, hermitian)


def _norm(x: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    x = cast(x, dtype)
    if dim is None and ord is not None and x.ndim == 2:
        dim = (0, 1)
    if dim is not None and not isinstance(dim, int) and len(dim) == 2 and ord is not None:
        return _matrix_norm(x, ord, dim, keepdim)
    return np.linalg.vector_norm(x, axis=axes(dim), keepdims=keepdim, ord=2 if ord is None else ord)


def _matrix_norm(
    x: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, dtype: Any = None
) -> Any:
    found = np.linalg.matrix_norm(np.moveaxis(cast(x, dtype), tuple(dim), (-2, -1)), ord=ord)
    return np.expand_dims(found, tuple(k % x.ndim for k in dim)) if keepdim else found


def _cross(x: Any, y: Any, dim: int | None = None) -> Any:
    shape = np.broadcast_shapes(x.shape, y.shape)
    dim = shape.index(3) if dim is None else dim
    return np.cross(np.broadcast_to(x, shape), np.broadcast_to(y, shape), axis=dim)


def _vander(x: Any, N: int | None = None) -> Any:
    x = np.atleast_1d(x)
    count = x.shape[-1] if N is None else N
    return np.stack([x**k for k in range(count)], axis=-1)


def _slogdet(x: Any) -> tuple[Any, Any]:
    sign, size = np.linalg.slogdet(x)
    return sign, size


def _cond(x: Any, p: Any = None) -> Any:
    return np.linalg.cond(x, p)


def _qr(x: Any, mode: str = "reduced") -> tuple[Any, Any]:
    return tuple(np.linalg.qr(x, mode))


def _svd(x: Any, full_matrices: bool = True) -> tuple[Any, ...]:
    return tuple(np.linalg.svd(x, full_matrices))


def _old_svd(x: Any, some: bool = True, compute_uv: bool = True) -> tuple[Any, ...]:
    u, s, v = np.linalg.svd(x, not some)
    return u, s, _adjoint(v)


def _eig(x: Any) -> tuple[Any, Any]:
    """Absolute values for vectors, whose phases are arbitrary; samples take these too."""
    values, vectors = np.linalg.eig(x)
    return _as_complex(values), np.abs(vectors)


def _eigh(x: Any, UPLO: str = "L") -> tuple[Any, Any]:
    values, vectors = np.linalg.eigh(x, UPLO)
    return values, np.abs(vectors)


def _einsum(operands: Any, equation: str) -> Any:
    return np.einsum(equation, *operands)


def _tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    return np.tensordot(a, b, dims if isinstance(dims, int) else tuple(map(tuple, dims)))


def _as_complex(x: Any) -> Any:
    return np.astype(x, np.complex128)


def _lstsq(a: Any, b: Any) -> tuple[Any, Any]:
    """The solution of least squares and, of more equations than unknowns, the squares that are left."""
    x = np.linalg.pinv(a) @ b
    if a.shape[-2] <= a.shape[-1]:
        return x, pb.tensor(numpy.zeros(0, np.real(x).dtype))
    return x, np.sum(np.abs(a @ x - b) ** 2, axis=-2)


def householder_product(v: Any, tau: Any) -> Any:
    """The first columns of a product of reflections, which stand below the diagonal."""
    rows, columns = v.shape[-2:]
    found = np.eye(rows, columns) + 0 * v
    for k in reversed(range(tau.shape[-1])):
        below = np.expand_dims(np.tril(v, -1)[..., :, k] + numpy.eye(rows)[:, k], -1)
        found = found - np.expand_dims(tau[..., k : k + 1], -1) * below @ (_adjoint(below) @ found)
    return found


def _logdet(x: Any) -> Any:
    sign, size = np.linalg.slogdet(x)
    return size + np.log(sign)


_sum_of_products = _added(lambda a, b: np.sum(a @ b, axis=0))
TABLE: dict[str, Callable[..., Any]] = {
    **{name: lambda a, b: a @ b for name in ("matmul", "mm", "bmm", "mv")},
    **{name: _added(lambda a, b: a @ b) for name in ("addmm", "addmm_decomposed", "addmv", "baddbmm")},
    **dict.fromkeys(("linalg_inv", "inverse"), np.linalg.inv),
    **{f"linalg_pinv{which}": _pinv for which in ("", "_hermitian")},
    **{f"linalg_norm{which}": _norm for which in ("", "_subgradients_at_zero")},
    "__rmatmul__": lambda x, y: y @ x,
    "addbmm": _sum_of_products,
    "addr": _added(np.outer),
    "cholesky": _cholesky,
    "cholesky_inverse": lambda x, upper=False: np.linalg.inv(_gram(x, upper)),
    "cholesky_solve": lambda b, factor, upper=False: np.linalg.solve(_gram(factor, upper), b),
    "cross": _cross,
    "dot": lambda a, b: a @ b,
    "einsum": _einsum,
    "inner": np.inner,
    "kron": np.kron,
    "linalg_cholesky": _cholesky,
    "linalg_cholesky_ex": lambda x, upper=False, check_errors=False: (_cholesky(x, upper), 0),
    "linalg_cond": _cond,
    "linalg_cross": lambda x, y, dim=-1: _cross(x, y, dim),
    "linalg_det": np.linalg.det,
    "linalg_diagonal": lambda x, offset=0, dim1=-2, dim2=-1: np.diagonal(x, offset, dim1, dim2),
    "linalg_eig": _eig,
    "linalg_eigh": _eigh,
    "linalg_eigvals": lambda x: _as_complex(np.linalg.eigvals(x)),
    "linalg_householder_product": householder_product,
    "linalg_lstsq": lambda a, b, driver=None: (*_lstsq(a, b), 0, numpy.zeros(0, int)),
    "linalg_eigvalsh": lambda x, UPLO="L": np.linalg.eigvalsh(x, UPLO),
    "linalg_inv_ex": lambda x, check_errors=False: (np.linalg.inv(x), 0),
    "linalg_lstsq_grad_oriented": lambda a, b, driver=None: _lstsq(a, b),
    "linalg_matrix_norm": _matrix_norm,
    "linalg_matrix_power": np.linalg.matrix_power,
    "linalg_multi_dot": lambda parts: np.linalg.multi_dot(parts),
    "linalg_pinv_singular": lambda a, b: np.linalg.pinv(a @ np.swapaxes(b, -1, -2)),
    "linalg_qr": _qr,
    "linalg_slogdet": _slogdet,
    "linalg_solve": _solve,
    "linalg_solve_ex": lambda a, b, left=True, check_errors=False: (_solve(a, b, left), 0),
    "linalg_solve_triangular": _solve_triangular,
    "linalg_svd": _svd,
    "linalg_svdvals": np.linalg.svdvals,
    "linalg_tensorinv": lambda x, ind=2: np.linalg.tensorinv(x, ind),
    "linalg_tensorsolve": lambda a, b, dims=None: np.linalg.tensorsolve(a, b, dims),
    "linalg_vander": _vander,
    "linalg_vecdot": lambda x, y, dim=-1: np.linalg.vecdot(x, y, axis=dim),
    "logdet": _logdet,
    "outer": np.outer,
    "pinverse": _pinv,
    "qr": lambda x, some=True: _qr(x, "reduced" if some else "complete"),
    "svd": _old_svd,
    "tensordot": _tensordot,
    "trace": np.trace,
    "triangular_solve": _triangular_solve,
    "vdot": np.vdot,
}
