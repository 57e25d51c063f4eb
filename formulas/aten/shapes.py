"""Gradients of views and arrangements: each is the adjoint, which puts entries back."""

from __future__ import annotations

import math
from typing import Any

from pullback import aten

from .dtypes import Geometry, Options, handle_r_to_c


def sum_to(grad: Any, shape: Any) -> Any:
    """The sum over what was broadcast to a larger shape."""
    lead = grad.ndim - len(shape)
    summed = [*range(lead), *(k + lead for k, n in enumerate(shape) if n == 1 and grad.shape[k + lead] != 1)]
    return aten.view(aten.sum(grad, summed, True), shape) if summed else grad


def to_args_sizes(tensors: Any) -> tuple[Any, ...]:
    """The shape of each tensor."""
    return tuple(tuple(tensor.shape) for tensor in tensors)


def to_args_scalartypes(tensors: Any) -> tuple[Any, ...]:
    """The dtype of each tensor."""
    return tuple(tensor.dtype for tensor in tensors)


def unsqueeze_to(grad: Any, dim_or_shape: Any, shape: Any = None) -> Any:
    """The axes of length 1 that were removed, all of them or those that are named."""
    shape, dim = (dim_or_shape, None) if shape is None else (shape, dim_or_shape)
    ndim = len(shape)
    named = (
        range(ndim)
        if dim is None
        else [d % ndim for d in ((dim,) if isinstance(dim, int) else dim)]
        if ndim
        else ()
    )
    for axis in sorted(named):
        if shape[axis] == 1:
            grad = aten.unsqueeze(grad, axis)
    return grad


def unsqueeze_multiple(tensor: Any, dim: Any, ndim: int) -> Any:
    """The axes that a reduction removed, of length 1."""
    for axis in sorted(d % ndim for d in dim):
        tensor = aten.unsqueeze(tensor, axis)
    return tensor


def slice_backward_wrapper(grad: Any, shape: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    """Zeros, and the gradient where the slice was."""
    last = 2**63 - 1
    return aten.slice_backward(
        grad, shape, dim, 0 if start is None else start, last if end is None else end, step
    )


def split_backward(grads: Any, split_size: int, dim: int, shape: Any, like: Options) -> Any:
    """The gradients of the parts, one behind the other."""
    length = shape[dim]
    count = len(grads)
    sizes = [split_size] * (count - 1) + [length - split_size * (count - 1)]
    return split_with_sizes_backward(grads, sizes, dim, shape, like)


def split_with_sizes_backward(grads: Any, sizes: Any, dim: int, shape: Any, like: Options) -> Any:
    """The gradients of the parts, one behind the other; zeros for those without one."""
    if all(grad is None for grad in grads):
        return None
    parts = []
    for grad, size in zip(grads, sizes, strict=True):
        if grad is None:
            part = list(shape)
            part[dim] = size
            grad = aten.zeros(part, dtype=like.dtype, layout=like.layout, device=like.device)
        parts.append(grad)
    return aten.cat(parts, dim)


def unbind_backward(grads: Any, dim: int) -> Any:
    """The gradients of the parts, stacked; zeros for those without one."""
    defined = next((grad for grad in grads if grad is not None), None)
    if defined is None:
        return None
    return aten.stack([aten.zeros_like(defined) if grad is None else grad for grad in grads], dim)


def permute_backwards(grad: Any, dims: Any) -> Any:
    """The inverse permutation."""
    inverse = [0] * len(dims)
    for place, dim in enumerate(dims):
        inverse[dim % len(dims)] = place
    return aten.permute(grad, inverse)


def repeat_backward(grad: Any, repeats: Any, shape: Any) -> Any:
    """The sum over the copies of each entry."""
    if math.prod(repeats) == 0:
        return aten.new_zeros(grad, shape)
    lead = len(repeats) - len(shape)
    wanted: list[int] = []
    summed: list[int] = []
    for place, times in enumerate(repeats):
        summed.append(len(wanted))
        wanted.append(times)
        if place >= lead:
            wanted.append(shape[place - lead])
    return aten.sum(aten.reshape(grad, wanted), summed) if summed else grad


def cat_tensors_backward(grad: Any, shapes: Any, dtypes: Any, dim: int) -> list[Any]:
    """The part of the gradient that came from each tensor; the old empty tensor `(0,)` takes none."""
    ndim = max((len(shape) for shape in shapes), default=0)
    dim = dim % ndim if ndim else 0
    parts, first = [], 0
    for shape, dtype in zip(shapes, dtypes, strict=True):
        if tuple(shape) == (0,):
            parts.append(aten.new_zeros(grad, (0,)))
            continue
        parts.append(handle_r_to_c(dtype, aten.narrow(grad, dim, first, shape[dim])))
        first += shape[dim]
    return parts


def stack_tensors_backward(grad: Any, dim: int, dtypes: Any) -> list[Any]:
    """The part of the gradient that came from each tensor."""
    return [handle_r_to_c(dtype, aten.select(grad, dim, place)) for place, dtype in enumerate(dtypes)]


def block_diag_backward(grad: Any, shapes: Any, dtypes: Any) -> list[Any]:
    """The block that came from each matrix; a vector is a row, a number an entry."""
    parts, row, column = [], 0, 0
    for shape, dtype in zip(shapes, dtypes, strict=True):
        height, width = (1, 1) if len(shape) == 0 else (1, shape[0]) if len(shape) == 1 else shape
        if tuple(shape) == (0,):
            parts.append(aten.new_zeros(grad, (0,)))
            row += 1
            continue
        block = aten.narrow(aten.narrow(grad, 0, row, height), 1, column, width)
        parts.append(handle_r_to_c(dtype, aten.reshape(block, shape)))
        row, column = row + height, column + width
    return parts


def constant_pad_nd_backward(grad: Any, pad: Any) -> Any:
    """The inside of the padding: padding by as much less."""
    return aten.constant_pad_nd(grad, [-width for width in pad], 0)


def _to_copy_backward(grad: Any, like: Options) -> Any:
    """The gradient in the dtype, and on the device, that its input had."""
    grad = handle_r_to_c(like.dtype, grad)
    return aten._to_copy(grad, dtype=like.dtype, layout=like.layout, device=like.device)


def _positions(grad: Any, shape: Any, strides: Any, offset: int) -> Any:
    """The place in memory of each entry."""
    positions = aten.full(shape, offset, dtype=aten.int64, device=grad.device)
    for axis, (length, stride) in enumerate(zip(shape, strides, strict=True)):
        steps = aten.arange(length, dtype=aten.int64, device=grad.device) * stride
        positions = positions + aten.reshape(steps, [length if k == axis else 1 for k in range(len(shape))])
    return aten.reshape(positions, (-1,))


def _extent(shape: Any, strides: Any, offset: int) -> int:
    if math.prod(shape) == 0:
        return 0
    last: int = sum((length - 1) * stride for length, stride in zip(shape, strides, strict=True))
    return offset + last + 1


def as_strided_backward(grad: Any, like: Geometry, shape: Any, strides: Any, offset: Any) -> Any:
    """Each place in memory takes the sum over the entries that read it, each entry of the input its place's.

    Entries of the input that share a place share its gradient.
    """
    offset = like.offset if offset is None else offset
    size = max(_extent(shape, strides, offset), _extent(like.shape, like.strides, like.offset))
    memory = aten.new_zeros(grad, (size,))
    read = _positions(grad, shape, strides, offset)
    memory = aten.index_add(memory, 0, read, aten.reshape(grad, (-1,)))
    own = _positions(grad, like.shape, like.strides, like.offset)
    sharing = aten.index_add(aten.new_zeros(grad, (size,)), 0, own, aten.new_ones(grad, own.shape))
    return aten.reshape(aten.index_select(memory, 0, own) / aten.index_select(sharing, 0, own), like.shape)


def as_strided_scatter_backward(
    grad: Any, like: Geometry, source: Geometry, shape: Any, strides: Any, offset: Any
) -> Any:
    """The gradient, but for the places in memory that the source was written to."""
    offset = like.offset if offset is None else offset
    size = max(_extent(shape, strides, offset), _extent(like.shape, like.strides, like.offset))
    untouched = aten.index_fill(aten.new_ones(grad, (size,)), 0, _positions(grad, shape, strides, offset), 0)
    own = _positions(grad, like.shape, like.strides, like.offset)
    return grad * aten.reshape(aten.index_select(untouched, 0, own), like.shape)
