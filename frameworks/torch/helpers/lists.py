"""Lists of tensors joined to one, and taken apart again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .likes import Like, sum_to, zeros_list
from .products import promoted


def concatenate(arrays: Sequence[torch.Tensor], axis: Any = 0) -> torch.Tensor:
    """Tensors joined along an axis, or all their entries in one row."""
    if axis is None:
        return torch.cat(promoted(*[array.reshape(-1) for array in arrays]), 0)
    return torch.cat(promoted(*arrays), axis)


def stack(arrays: Sequence[torch.Tensor | float], axis: int = 0) -> torch.Tensor:
    """Tensors joined along a new axis; a number is one of NumPy's, of 64 bits."""
    tensors = [
        array
        if isinstance(array, torch.Tensor)
        else torch.tensor(array, dtype=torch.float64 if isinstance(array, float) else None)
        for array in arrays
    ]
    return torch.stack(promoted(*tensors), axis)


def split_like(x: torch.Tensor, likes: Any, axis: Any = 0) -> list[torch.Tensor]:
    """The stretches that tensors of these shapes have in `x`, of which they were joined along an axis."""
    if isinstance(likes, Like):
        return []
    place = 0 if axis is None else axis % x.ndim
    parts = []
    start = 0
    for each in likes:
        lengths = (1,) * (x.ndim - each.ndim) + tuple(each.shape)
        length = each.numel() if axis is None else lengths[place]
        part = torch.narrow(x, place, start, length)
        parts.append(sum_to(part.reshape(each.shape), each))
        start += length
    return parts


def join_like(arrays: Sequence[torch.Tensor], like: Like, axis: Any = 0) -> torch.Tensor:
    """Tensors joined along an axis to one of this shape: what `split_like` took apart, together again."""
    if axis is None:
        return collect_flat(arrays)
    lifted = [array.reshape((1,) * (like.ndim - array.ndim) + tuple(array.shape)) for array in arrays]
    return torch.cat(promoted(*lifted), axis)


def unstack_like(x: torch.Tensor, likes: Sequence[Like], axis: int = 0) -> list[torch.Tensor]:
    """The slices of `x` along an axis: the adjoint of `stack`."""
    return [sum_to(torch.select(x, axis, k), each) for k, each in enumerate(likes)]


def unitem(a: torch.Tensor, index: int, likes: Sequence[Like]) -> list[torch.Tensor]:
    """Zeros of these shapes, with `a` in place of one: the adjoint of taking an element."""
    parts = zeros_list(likes)
    parts[index] = sum_to(a, likes[index])
    return parts


def appended(values: Sequence[Any], x: Any) -> list[Any]:
    """The list with one more element."""
    return [*values, x]


def without_last(values: Sequence[Any]) -> list[Any]:
    """The list without its last element."""
    return list(values[:-1])


def collect(arrays: Sequence[Any]) -> torch.Tensor:
    """Tensors broadcast to one shape and stacked along a new first axis; of none, an empty one."""
    if not arrays:
        return torch.zeros((0,), dtype=torch.float64)
    known = promoted(*tensors_of(arrays))
    shape = torch.broadcast_shapes(*[array.shape for array in known])
    return torch.stack([array.expand(shape) for array in known])


def stacked(arrays: Sequence[Any]) -> torch.Tensor:
    """Tensors stacked along a new first axis; of none, an empty one."""
    if not arrays:
        return torch.zeros((0,), dtype=torch.float64)
    if all(isinstance(each, (int, torch.SymInt)) for each in arrays):  # whole numbers, or answers
        return torch.tensor(arrays)
    return torch.stack(promoted(*tensors_of(arrays)))


def collect_flat(arrays: Any) -> torch.Tensor:
    """The entries of tensors of any shapes, one tensor after the other; of none, an empty row."""
    if not arrays:
        return torch.zeros((0,), dtype=torch.float64)
    return torch.cat(promoted(*[array.reshape(-1) for array in tensors_of(arrays)]))


def tensors_of(arrays: Sequence[Any]) -> list[torch.Tensor]:
    """The elements as tensors: None, which an iteration may leave, stands for a zero that nobody reads."""
    known = [array for array in arrays if isinstance(array, torch.Tensor)]
    dtype, device = (known[0].dtype, known[0].device) if known else (torch.float64, None)
    return [
        array
        if isinstance(array, torch.Tensor)
        else torch.as_tensor(0.0 if array is None else array, dtype=dtype, device=device)
        for array in arrays
    ]
