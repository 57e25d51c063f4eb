"""Gradients of sums, means, products, moments and norms along axes."""

from __future__ import annotations

import math
from typing import Any

from pullback import aten

INFINITE = math.inf


def axes(dim: Any, ndim: int) -> tuple[int, ...]:
    """The axes of a reduction, counted from the front; all of them where none is named.

    >>> axes(-1, 3), axes((), 2), axes(None, 1)
    ((2,), (0, 1), (0,))
    """
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(ndim))
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple(sorted(d % ndim for d in given)) if ndim else ()


def restore_reduced_dims(tensor: Any, dim: Any, keepdim: bool) -> Any:
    """A reduced tensor with the axes that the reduction removed, of length 1."""
    if keepdim or tensor is None:
        return tensor
    for axis in _removed(dim, tensor.ndim):
        tensor = aten.unsqueeze(tensor, axis)
    return tensor


def _removed(dim: Any, left: int) -> tuple[int, ...]:
    given = (dim,) if isinstance(dim, int) else tuple(dim or ())
    return tuple(sorted(d % (left + len(given)) for d in given))


def _restored(tensor: Any, dim: Any, keepdim: bool, ndim: int) -> Any:
    """As `restore_reduced_dims`, where the number of axes before the reduction is known."""
    if tensor is None or keepdim or ndim == 0:
        return tensor
    for axis in axes(dim, ndim):
        tensor = aten.unsqueeze(tensor, axis)
    return tensor


def _count(shape: Any, dim: Any) -> int:
    return math.prod(shape[axis] for axis in axes(dim, len(shape)))


def sum_backward(grad: Any, shape: Any, dim: Any, keepdim: bool) -> Any:
    """Each entry takes the gradient of its sum."""
    return aten.expand(_restored(grad, dim, keepdim, len(shape)), shape)


def nansum_backward(grad: Any, self: Any, dim: Any, keepdim: bool) -> Any:
    """As that of a sum; what is not a number was left out."""
    return sum_backward(grad, self.shape, dim, keepdim) * (self == self)


def mean_backward(grad: Any, shape: Any, dim: Any, numel: int, keepdim: bool) -> Any:
    """Each entry takes its part of the gradient of its mean."""
    return sum_backward(grad, shape, dim, keepdim) / _count(shape, dim)


def cumsum_backward(grad: Any, dim: int) -> Any:
    """An entry is in every sum from its own on: the sums from the end."""
    if grad.ndim == 0:
        return grad
    return aten.flip(aten.cumsum(aten.flip(grad, (dim,)), dim), (dim,))


def prod_backward(grad: Any, self: Any, result: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """An entry's slope is the product of all others: of those before it and of those behind it."""
    if self.ndim == 0:
        return grad
    if dim is None:
        others = aten.reshape(_others(aten.reshape(self, (-1,)), 0), self.shape)
        return grad * aten.conj(others)
    return _restored(grad, dim, keepdim, self.ndim) * aten.conj(_others(self, dim))


def _others(values: Any, dim: int) -> Any:
    """For each entry the product of the others along an axis."""
    length = values.shape[dim]
    one = aten.ones_like(aten.narrow(values, dim, 0, min(length, 1)))
    if length < 2:
        return one
    before = aten.cumprod(aten.narrow(values, dim, 0, length - 1), dim)
    behind = aten.flip(aten.cumprod(aten.flip(aten.narrow(values, dim, 1, length - 1), (dim,)), dim), (dim,))
    return aten.cat((one, before), dim) * aten.cat((behind, one), dim)


def var_backward(grad: Any, self: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """v = sum |x - m|**2 / (n - c): dv = 2 Re(conj(x - m) dx) / (n - c), for the mean's part sums to 0."""
    free = _count(self.shape, dim) - (1 if correction is None else correction)
    grad = _restored(grad, dim, keepdim, self.ndim)
    if free <= 0:  # the variance of too few is infinite or no number
        return grad * ((self - self) * math.nan if free == 0 else (self - self) * math.inf)
    mean = aten.mean(self, axes(dim, self.ndim), True) if self.ndim else self
    return (2.0 / free) * grad * (self - mean)


def std_backward(result: Any, grad: Any, self: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """s**2 = v, so ds = dv / (2 s), and 0 where s is 0."""
    halved = aten.where(result == 0, 0.0, grad / (2 * result))
    return var_backward(halved, self, dim, correction, keepdim)


def var_mean_backward(
    grad_var: Any, grad_mean: Any, self: Any, dim: Any, correction: Any, keepdim: bool
) -> Any:
    """The gradients of both results, added."""
    parts = []
    if grad_var is not None:
        parts.append(var_backward(grad_var, self, dim, correction, keepdim))
    if grad_mean is not None:
        parts.append(mean_backward(grad_mean, self.shape, dim, aten.numel(self), keepdim))
    return sum(parts[1:], parts[0]) if parts else None


def std_mean_backward(
    grad_std: Any, grad_mean: Any, self: Any, std: Any, dim: Any, correction: Any, keepdim: bool
) -> Any:
    """The gradients of both results, added."""
    parts = []
    if grad_std is not None:
        parts.append(std_backward(std, grad_std, self, dim, correction, keepdim))
    if grad_mean is not None:
        parts.append(mean_backward(grad_mean, self.shape, dim, aten.numel(self), keepdim))
    return sum(parts[1:], parts[0]) if parts else None


def norm_backward(grad: Any, self: Any, p: Any, result: Any, dim: Any = (), keepdim: bool = True) -> Any:
    """r**p = sum |x|**p, so dr = sum (|x|/r)**(p - 1) Re(conj(sgn(x)) dx); 0 where x or r is 0.

    The norm of infinite order is that of the largest entry, and of several equal ones their mean.
    """
    grad, result = (_restored(given, dim, keepdim and given.ndim > 0, self.ndim) for given in (grad, result))
    p = 2.0 if p is None else float(p)
    if p == 0.0:
        return aten.zeros_like(self)
    sign = aten.sgn(self)
    if p == 1.0:
        return sign * grad
    size = aten.abs(self)
    if abs(p) == INFINITE:
        largest = (size == result) | ((size != size) & (result != result))
        share = aten.sum(largest, axes(dim, self.ndim), True) if self.ndim else 1
        return sign * (largest * (grad / share))
    if p == 2.0:
        return self * aten.where(result == 0, 0.0, grad / aten.where(result == 0, 1.0, result))
    nothing = (size == 0) | (result == 0)
    ratio = aten.where(nothing, 1.0, size) / aten.where(result == 0, 1.0, result)
    return aten.where(nothing, 0.0, sign * aten.pow(ratio, p - 1) * grad)


def linalg_vector_norm_backward(grad: Any, self: Any, ord: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient of a norm of a vector."""
    return norm_backward(grad, self, ord, result, () if dim is None else dim, keepdim)


def renorm_backward(grad: Any, self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """y = x m / (n + e) where the norm n of x's part is more than m: dy = y/x dx - y dn / (n + e)."""
    dim = dim % self.ndim
    others = tuple(axis for axis in range(self.ndim) if axis != dim)
    norm = aten.linalg_vector_norm(self, p, others, True)
    small = 1e-7
    large = norm > maxnorm
    scale = aten.where(large, maxnorm / (norm + small), 1.0)
    along = aten.sum(aten.real(aten.conj(grad) * self), others, True)
    grad_norm = aten.where(large, -along * maxnorm / ((norm + small) * (norm + small)), 0.0)
    return grad * scale + norm_backward(grad_norm, self, p, norm, others, True)


def logsumexp_backward(grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """d log sum e**x = sum e**(x - r) dx; nothing flows where all of it is minus infinity."""
    grad, result = (_restored(given, dim, keepdim, self.ndim) for given in (grad, result))
    shifted = aten.where(aten.isinf(result), aten.where(self == result, 0.0, -math.inf), self - result)
    return grad * aten.conj(aten.exp(shifted))


def logcumsumexp_backward(grad: Any, self: Any, result: Any, dim: int) -> Any:
    """y_i = log sum of e**x_j for j <= i: x_j takes the sum of grad_i e**(x_j - y_i) for i >= j.

    Sums are taken of logarithms, for e**x may be too large; real ones for positive and negative gradients
    apart.
    """
    if self.ndim == 0:
        return grad
    if aten.is_complex(self):
        logs = aten.log(aten.conj(grad)) - result
        summed = aten.flip(aten.logcumsumexp(aten.flip(logs, (dim,)), dim), (dim,))
        return aten.conj(aten.exp(summed + self))
    size = aten.log(aten.abs(grad))
    parts = []
    for positive in (True, False):
        chosen = grad > 0 if positive else grad < 0
        logs = aten.where(chosen, size - result, -math.inf)
        summed = aten.flip(aten.logcumsumexp(aten.flip(logs, (dim,)), dim), (dim,))
        parts.append(aten.exp(summed + self))
    return parts[0] - parts[1]


def scale_grad_by_count(grad: Any, mask: Any, dim: Any) -> Any:
    """The gradient where the mask is, shared by those along the axes."""
    return (grad * mask) / aten.sum(mask, axes(dim, mask.ndim), True)


def evenly_distribute_backward(grad: Any, self: Any, value: Any) -> Any:
    """The entries that have the value share the gradient."""
    chosen = (self == value) | ((self != self) & (value != value))
    return chosen * (grad / aten.sum(chosen))


def aminmax_backward(
    self: Any, dim: int | None, keepdim: bool, grad_min: Any, grad_max: Any, min: Any, max: Any
) -> Any:
    """Each extreme's gradient is shared by the entries that have it."""
    parts = []
    for grad, value in ((grad_min, min), (grad_max, max)):
        if grad is not None:
            grad, value = (_restored(given, dim, keepdim, self.ndim) for given in (grad, value))
            chosen = (value == self) | ((self != self) & (value != value))
            parts.append(scale_grad_by_count(grad, chosen, dim) if self.ndim else grad)
    return sum(parts[1:], parts[0]) if parts else None
