"""Linear algebra of NumPy: decompositions with their options, and what is made of them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ...calls.call import arrays, operators
from ...calls.wide import wide
from ...core.errors import NotDifferentiableError
from ...transforms.forward_ad import differentiated
from ..signatures.arguments import squared_modulus
from .table import formulas, stands_for

_EYE = np.eye(1)
_RESULTS: list[Any] = [
    type(found)
    for found in (
        np.linalg.slogdet(_EYE),
        np.linalg.eigh(_EYE),
        np.linalg.eig(_EYE),
        np.linalg.qr(_EYE),
        np.linalg.svd(_EYE),
    )
]
_SLOGDET, _EIGH, _EIG, _QR, _SVD = _RESULTS


@stands_for(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    """As `np.linalg.slogdet`."""
    return _SLOGDET(*(formulas.slogdet_of_complex if np.iscomplexobj(a) else formulas.slogdet)(a))


@stands_for(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    """As `np.linalg.eigh`."""
    return _EIGH(*_eigh(a, UPLO))


@stands_for(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """As `np.linalg.eigvalsh`: eigenvalues of symmetric matrices, also where some are equal."""
    return _eigh(a, UPLO)[0]


@stands_for(np.linalg.eig)
def eig(a: Any) -> Any:
    """As `np.linalg.eig`."""
    return _EIG(*formulas.eig(a))


@stands_for(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """As `np.linalg.eigvals`: the first result of `eig`."""
    return formulas.eig(a)[0]


def _eigh(a: Any, UPLO: str) -> Any:
    """Eigenvalues and eigenvectors by the triangle that is read."""
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return (formulas.eigh if UPLO.upper() == "L" else formulas.eigh_upper)(a)


@wide("cholesky")
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """As `np.linalg.cholesky`."""
    return operators.cholesky(a.mT).mT if upper else operators.cholesky(a)


@stands_for(np.linalg.qr)
def qr(a: Any, mode: Any = "reduced") -> Any:
    """As `np.linalg.qr`, modes "reduced", "r", and "complete" where that is the same."""
    rows, columns = a.shape[-2:]
    if mode not in ("reduced", "r", "complete") or (mode == "complete" and rows > columns):
        if differentiated((a,)):
            raise NotDifferentiableError(
                f"np.linalg.qr with mode={mode!r} has no derivative here: its further columns are arbitrary"
            )
        made = a.__array_namespace__().asarray
        found = np.linalg.qr(arrays(a), mode)
        return _QR(*map(made, found)) if isinstance(found, _QR) else tuple(map(made, found))
    q, r = formulas.qr(a[..., :, : min(rows, columns)])
    if columns > rows:
        r = np.concatenate([r, np.matmul(np.conjugate(q).mT, a[..., :, rows:])], -1)
    return r if mode == "r" else _QR(q, r)


@stands_for(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """As `np.linalg.svd`; full matrices have a derivative where they are square ones."""
    if hermitian:
        a = _of_lower(a)
    if not compute_uv:
        return svdvals(a)
    if full_matrices and a.shape[-1] != a.shape[-2]:
        if differentiated((a,)):
            raise NotDifferentiableError(
                "np.linalg.svd with full_matrices=True has no derivative: its further vectors are arbitrary; "
                "pass full_matrices=False"
            )
        return _SVD(*map(a.__array_namespace__().asarray, np.linalg.svd(arrays(a))))
    return _SVD(*formulas.svd(a))


@stands_for(np.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    """As `np.linalg.svdvals`: singular values, also where some are equal."""
    return formulas.svd(x)[1]


def _of_lower(a: Any) -> Any:
    """The Hermitian matrix with the lower triangle of `a`, which is what NumPy reads of it."""
    lower = np.tril(a, -1)
    return lower + np.conjugate(lower).mT + np.real(np.tril(np.triu(a)))


@wide("pinv")
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """As `np.linalg.pinv`; `rtol` is the array API's name of `rcond`."""
    if rcond is not None and rtol is not None:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if hermitian:
        a = _of_lower(a)
    return operators.pinv(a, rcond=arrays(rtol if rcond is None else rcond))


@stands_for(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """As `np.linalg.matrix_power`, by repeated squaring."""
    if n == 0:
        return np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape) + 0 * a
    square = np.linalg.inv(a) if n < 0 else a
    found = None
    left = abs(n)
    while left:
        if left & 1:
            found = square if found is None else np.matmul(found, square)
        left >>= 1
        square = np.matmul(square, square) if left else square
    return found


@stands_for(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """As `np.linalg.lstsq`; what it gives has derivatives where the rank stays the same."""
    rcond = arrays(rcond)
    _, sums, rank, s = np.linalg.lstsq(arrays(a), arrays(b), rcond)
    x = np.matmul(np.linalg.pinv(a, np.finfo(s.dtype).eps * max(np.shape(a)) if rcond is None else rcond), b)
    residuals = np.sum(squared_modulus(np.matmul(a, x) - b), axis=0)
    none = x.__array_namespace__().asarray(sums)
    return (
        x,
        np.reshape(residuals, sums.shape) if sums.size else none,
        rank,
        np.linalg.svdvals(x.__array_namespace__().asarray(a)),
    )


@stands_for(np.linalg.tensorinv)
def tensorinv(a: Any, ind: int = 2) -> Any:
    """As `np.linalg.tensorinv`."""
    front, back = a.shape[:ind], a.shape[ind:]
    return np.reshape(np.linalg.inv(np.reshape(a, (prod(back), -1))), (*back, *front))


@stands_for(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """As `np.linalg.tensorsolve`."""
    if axes is not None:
        a = np.moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    shape = a.shape[np.ndim(b) :]
    return np.reshape(np.linalg.solve(np.reshape(a, (-1, prod(shape))), np.reshape(b, (-1,))), shape)


@wide("norm", always=True)
def matrix_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """As `np.linalg.norm`, with the norms of matrices that are none of their entries."""
    two = isinstance(axis, tuple) and len(axis) == 2
    if ord in (None, "fro", "f") or not (two or (axis is None and x.ndim == 2)):
        axis = -1 if axis is None and x.ndim == 1 else axis
        ord = None if ord == 2 and axis is not None else ord
        return formulas.norm(x, ord=ord, axis=axis, keepdims=keepdims)
    if x.dtype.kind in "biu":
        x = x.astype(np.float64)
    rows, columns = normalize_axis_tuple(axis or (0, 1), x.ndim)
    if ord in (1, -1, np.inf, -np.inf):
        summed = rows if abs(ord) == 1 else columns
        sums = np.sum(np.abs(x), axis=summed, keepdims=True)
        return (np.max if ord > 0 else np.min)(sums, axis=(rows, columns), keepdims=keepdims)
    if ord not in (2, -2, "nuc"):
        raise ValueError("Invalid norm order for matrices.")
    values = svdvals(np.moveaxis(x, (rows, columns), (-2, -1)))
    found = np.sum(values, -1) if ord == "nuc" else (np.max if ord > 0 else np.min)(values, -1)
    return np.expand_dims(found, (rows, columns)) if keepdims else found


@stands_for(np.linalg.matrix_norm)
def _matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """As `np.linalg.matrix_norm`: of the last two axes."""
    if ord == "fro" and x.ndim == 2 and not keepdims:
        return formulas.norm(x)
    return matrix_norm(x, ord, (-2, -1), keepdims)


@stands_for(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """As `np.linalg.vector_norm`: of the entries along axes, or of all."""
    ord = None if ord == 2 else ord
    if ord != 0 and axis is None and not keepdims:
        return formulas.norm(x if x.ndim == 1 else operators.reshape(x, (-1,)), ord=ord, axis=-1)
    if ord != 0 and isinstance(axis, int):
        return formulas.norm(x, ord=ord, axis=axis, keepdims=keepdims)
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim)
    if ord == 0:
        return np.astype(np.sum(np.not_equal(x, 0), axis=axes, keepdims=keepdims), np.real(x).dtype)
    flat = operators.flatten_axes(x, axis=axes)
    found = formulas.norm(flat, ord=ord, axis=-1)
    return np.expand_dims(found, axes) if keepdims else found


@stands_for(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """As `np.linalg.cond`: how much a solution magnifies errors, infinitely where there is none."""
    if p in (None, 2, -2):
        values = svdvals(x)
        with np.errstate(all="ignore"):
            found = values[..., 0] / values[..., -1] if p != -2 else values[..., -1] / values[..., 0]
        nowhere = np.isnan(arrays(found)) & ~np.isnan(arrays(x)).any((-2, -1))
        return np.where(nowhere, np.inf, found) if nowhere.any() else found
    singular = np.linalg.slogdet(arrays(x))[0] == 0
    if not singular.any():
        return matrix_norm(x, p, (-2, -1)) * matrix_norm(np.linalg.inv(x), p, (-2, -1))
    regular = np.where(singular[..., None, None], np.eye(x.shape[-1]), x)
    return np.where(singular, np.inf, cond(regular, p))
