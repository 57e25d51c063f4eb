"""Reductions over axes, and scans along one, whose attributes PyTorch takes in another form."""

from __future__ import annotations

from typing import Any

import torch

from .arrangement import axes_of, flatten_axes
from .numbers import array_of


def over(a: torch.Tensor, axis: Any, keepdims: bool) -> tuple[torch.Tensor, tuple[int, ...], bool]:
    """The axes that PyTorch reduces for NumPy's: no axis, which it takes for all, is one of length one.

    >>> over(torch.ones(2), (), True)
    (tensor([[1., 1.]]), (0,), False)
    """
    axes = axes_of(axis, a.ndim)
    return (a, axes, keepdims) if axes else (a[None], (0,), False)


def amax(a: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The largest entry over axes, or over all."""
    return torch.amax(*over(a, axis, keepdims))


def amin(a: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The smallest entry over axes, or over all."""
    return torch.amin(*over(a, axis, keepdims))


def total(a: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The sum over axes, or over all."""
    return torch.sum(*over(a, axis, keepdims))


def mean(a: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The mean over axes, or over all."""
    if not (a.is_floating_point() or a.is_complex()):
        a = a.to(torch.float64)
    return torch.mean(*over(a, axis, keepdims))


def prod(a: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The product over axes, or over all.

    >>> prod(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(24.)
    """
    made = torch.prod(flatten_axes(a, axis), -1)
    return with_axes(made, a, axis) if keepdims else made


def with_axes(made: torch.Tensor, a: torch.Tensor, axis: Any) -> torch.Tensor:
    """The result of a reduction of `a`, with an axis of length one for each that is gone."""
    gone = axes_of(axis, a.ndim)
    return made.reshape([1 if k in gone else n for k, n in enumerate(a.shape)])


def var(a: torch.Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> torch.Tensor:
    """The variance over axes, or over all."""
    a, axes, keepdims = over(a, axis, keepdims)
    return torch.var(a, axes, correction=ddof, keepdim=keepdims)


def std(a: torch.Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> torch.Tensor:
    """The standard deviation over axes, or over all."""
    a, axes, keepdims = over(a, axis, keepdims)
    return torch.std(a, axes, correction=ddof, keepdim=keepdims)


def norm(x: torch.Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The norm of vectors, or Frobenius's of matrices, over axes or over all."""
    p = order_of_norm(ord, axis, x.ndim)
    return torch.linalg.vector_norm(x, p, axes_of(axis, x.ndim), keepdims)


def order_of_norm(ord: Any, axis: Any, ndim: int) -> float:
    """The order p of the norm that NumPy computes for these arguments; 2 for Frobenius's."""
    count = ndim if axis is None else 1 if isinstance(axis, int) else len(axis)
    if ord is None or (ord == "fro" and count == 2):
        return 2.0
    if isinstance(ord, str) or count != 1:
        raise NotImplementedError(f"the norm with ord={ord!r} of matrices: give an axis, or Frobenius's")
    return float(ord)


def logsumexp(a: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The logarithm of the sum of exponentials over axes, or over all."""
    return torch.logsumexp(*over(a, axis, keepdims))


def softmax(x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """Exponentials divided by their sum over axes, or over all."""
    return torch.exp(log_softmax(x, axis)) if not isinstance(axis, int) else torch.softmax(x, axis)


def log_softmax(x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """The logarithm of `softmax`."""
    if isinstance(axis, int):
        return torch.log_softmax(x, axis)
    return x - logsumexp(x, axis, True)


def cumsum(a: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """Sums of the entries up to each along an axis, or of all in one row."""
    return torch.cumsum(a.reshape(-1) if axis is None else a, 0 if axis is None else axis)


def cumprod(a: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """Products of the entries up to each along an axis, or of all in one row."""
    return torch.cumprod(a.reshape(-1) if axis is None else a, 0 if axis is None else axis)


def sort(a: torch.Tensor, axis: Any = -1) -> torch.Tensor:
    """The entries in ascending order along an axis, or all in one row."""
    return torch.sort(a.reshape(-1) if axis is None else a, dim=0 if axis is None else axis, stable=True)[0]


def argsort(a: torch.Tensor, axis: Any = -1, kind: Any = None) -> torch.Tensor:
    """The order that sorts entries along an axis, or all in one row: equal ones in their order."""
    if axis is None or a.ndim == 0:  # NumPy's of a number is one place
        a, axis = a.reshape(-1), 0
    return torch.argsort(a, dim=axis, stable=True)


def argmax(a: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The place of the first largest entry along an axis, or of all."""
    return first_place(a, amax(a, axis, True), axis, keepdims)


def argmin(a: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The place of the first smallest entry along an axis, or of all."""
    return first_place(a, amin(a, axis, True), axis, keepdims)


def first_place(a: torch.Tensor, value: torch.Tensor, axis: Any, keepdims: bool) -> torch.Tensor:
    """The place of the first entry along an axis, or of all, that is this value, or that is no number."""
    found = flatten_axes((a == value) | torch.isnan(a), axis)
    made = torch.argmax(found.to(torch.uint8), -1)
    return with_axes(made, a, axis) if keepdims else made


def searchsorted(a: torch.Tensor, v: Any, side: str = "left", sorter: Any = None) -> torch.Tensor:
    """The places where values would be put into a sorted row."""
    return torch.searchsorted(a, v, right=side == "right", sorter=sorter)


def all_of(a: Any, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """True where all entries over axes are."""
    return torch.all(*over(array_of(a != 0), axis, keepdims))


def any_of(a: Any, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """True where an entry over axes is."""
    return torch.any(*over(array_of(a != 0), axis, keepdims))


def linear_recurrence(a: torch.Tensor, b: torch.Tensor, reverse: bool = False) -> torch.Tensor:
    """r_i = b_i + a_i r_(i-1) along the last axis, from zero; in reverse from the end."""
    shape = torch.broadcast_shapes(a.shape, b.shape)
    a, b = a.expand(shape), b.expand(shape)
    rows: list[torch.Tensor] = []
    order = range(b.shape[-1])
    for i in reversed(order) if reverse else order:
        rows.append(b[..., i] + a[..., i] * rows[-1] if rows else b[..., i] + 0 * a[..., i])
    if not rows:
        return a * b
    return torch.stack(rows[::-1] if reverse else rows, -1)


def argcummax(a: torch.Tensor, axis: int = 0) -> torch.Tensor:
    """The positions of the greatest entries so far along an axis, of equal ones the last."""
    return torch.cummax(a, axis).indices


def argcummin(a: torch.Tensor, axis: int = 0) -> torch.Tensor:
    """The positions of the least entries so far along an axis, of equal ones the last."""
    return torch.cummin(a, axis).indices
