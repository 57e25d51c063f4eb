"""Gradients of gathering, scattering and reducing by indices."""

from __future__ import annotations

from typing import Any

from pullback import aten


def index_backward(zeros: Any, indices: Any, grad: Any) -> Any:
    """Each entry takes the sum of the gradients of where it was read."""
    return aten.index_put(zeros, indices, grad, True)


def take_backward(grad: Any, self: Any, index: Any) -> Any:
    """Each entry takes the sum of the gradients of where it was read."""
    return aten.put(aten.new_zeros(grad, self.shape), index, grad, True)


def masked_fill_backward(grad: Any, mask: Any) -> Any:
    """The value takes the sum over the entries that it was written to."""
    return aten.sum(aten.where(mask, grad, 0.0))


def max_pool_double_backward(grad: Any, indices: Any, dim: int) -> Any:
    """The entries that were largest, by their place in the flattened plane."""
    flat = aten.gather(aten.flatten(grad, -dim), -1, aten.flatten(indices, -dim))
    return aten.view(flat, indices.shape)


def gather_with_keepdimed_indices(self: Any, dim: int, indices: Any, keepdim: bool) -> Any:
    """The entries at the indices that a reduction along an axis gave."""
    if self.ndim == 0:
        return self
    found = aten.gather(self, dim, indices if keepdim else aten.unsqueeze(indices, dim))
    return found if keepdim else aten.squeeze(found, dim)


def scatter_reduce_backward(
    grad: Any, self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool, result: Any
) -> Any:
    """Of what is reduced into, and of what is reduced, place by place.

    Extremes are shared by those that have them; in a product each takes the product of the others, of which
    the zeros are counted apart. Where the input is left out, it keeps the gradient of untouched places.
    """
    src = _cut(src, index.shape)
    touched = aten.scatter(aten.zeros_like(grad, dtype=aten.bool), dim, index, True)
    if reduce == "sum":
        grad_self, grad_src = grad, aten.gather(grad, dim, index)
    elif reduce == "mean":
        ones = aten.ones_like(grad) if include_self else aten.zeros_like(grad)
        count = aten.scatter_add(ones, dim, index, aten.new_ones(grad, index.shape))
        share = grad / aten.where(count == 0, 1, count)
        grad_self, grad_src = share, aten.gather(share, dim, index)
    elif reduce == "prod":
        grad_self, grad_src = _product_gradients(grad, self, dim, index, src, include_self)
    else:
        own = (self == result) & (touched if not include_self else True)
        chosen = src == aten.gather(result, dim, index)
        count = aten.to(self == result, grad.dtype) if include_self else aten.zeros_like(grad)
        count = aten.scatter_add(count, dim, index, aten.to(chosen, grad.dtype))
        share = grad / aten.where(count == 0, 1, count)
        grad_self = share * own
        grad_src = chosen * aten.gather(share, dim, index)
    if not include_self:
        grad_self = aten.where(touched, 0.0, grad)
    return grad_self, grad_src


def _cut(src: Any, shape: Any) -> Any:
    """The part of the source that an index of this shape reads."""
    for axis, length in enumerate(shape):
        if src.shape[axis] != length:
            src = aten.narrow(src, axis, 0, length)
    return src


def _product_gradients(grad: Any, self: Any, dim: int, index: Any, src: Any, include_self: bool) -> Any:
    """The product of the others is P / x without zeros; with one it is P at the zero, and 0 elsewhere."""
    own_zero, zero = self == 0, src == 0
    zeros = aten.to(own_zero, grad.dtype) if include_self else aten.zeros_like(grad)
    zeros = aten.scatter_add(zeros, dim, index, aten.to(zero, grad.dtype))
    start = aten.where(own_zero, 1.0, self) if include_self else aten.ones_like(self)
    product = aten.scatter_reduce(start, dim, index, aten.where(zero, 1.0, src), "prod")

    def others(value: Any, is_zero: Any, product: Any, zeros: Any) -> Any:
        left = zeros - aten.to(is_zero, grad.dtype)
        return aten.where(left > 0, 0.0, product / aten.where(is_zero, 1.0, value))

    grad_self = grad * others(self, own_zero, product, zeros)
    at = [aten.gather(given, dim, index) for given in (grad, product, zeros)]
    return grad_self, at[0] * others(src, zero, at[1], at[2])


def index_reduce_backward(
    grad: Any, self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool, result: Any
) -> Any:
    """As of `scatter_reduce`, with the same index along all other axes."""
    if src.ndim:
        shape = [index.numel() if axis == dim % src.ndim else 1 for axis in range(src.ndim)]
        index = aten.expand(aten.reshape(index, shape), src.shape)
    else:
        index = aten.reshape(index, ())
    return scatter_reduce_backward(grad, self, dim, index, src, reduce, include_self, result)


def embedding_dense_double_backward(grad: Any, indices: Any, padding_idx: int) -> Any:
    """Each row takes the gradient of the row that it was added to; the row of the padding took none."""
    rows = aten.index_select(grad, 0, aten.reshape(indices, (-1,)))
    made = aten.reshape(rows, (*indices.shape, grad.shape[-1]))
    if padding_idx < 0:
        return made
    return aten.where(aten.unsqueeze(indices == padding_idx, -1), 0.0, made)
