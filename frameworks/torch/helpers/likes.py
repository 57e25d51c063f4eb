"""Shape, dtype and device of a tensor, and gradients brought to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .numbers import kind_of


class Like(NamedTuple):
    """Shape, dtype and device of a tensor, without its data."""

    shape: Any
    dtype: torch.dtype
    device: torch.device

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def numel(self) -> int:
        """The number of entries."""
        count = 1
        for length in self.shape:
            count *= length
        return count


def like(x: Any) -> Any:
    """Shape, dtype and device of a tensor; of a list, those of each.

    >>> like(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    if isinstance(x, Like):
        return x
    if isinstance(x, (list, tuple)):
        return tuple([like(0.0 if item is None else item) for item in x])
    if not isinstance(x, torch.Tensor):
        return Like(torch.Size(()), torch.float64, torch.device("cpu"))
    return Like(x.shape, x.dtype, x.device)


def cast(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """To a dtype, by the real part where it is real."""
    return (x.real if x.is_complex() and not dtype.is_complex else x).to(dtype)


def sum_to(x: Any, like: Like) -> Any:
    """The gradient summed over the axes along which an operand was broadcast to it, in its dtype.

    >>> sum_to(torch.ones(3, 4), like(torch.ones(3, 1))).flatten()
    tensor([4., 4., 4.])
    """
    if not isinstance(x, torch.Tensor):
        x = torch.as_tensor(x, dtype=like.dtype, device=like.device)
    if x.ndim == 0 and like.numel() == 1:
        x = x.reshape(like.shape)
    return cast(x.sum_to_size(like.shape), like.dtype)


def broadcast_like(x: Any, like: Like) -> Any:
    """The value repeated to a shape, in its dtype: the adjoint of `sum_to`.

    >>> broadcast_like(0.0, like(torch.ones(2)))
    tensor([0., 0.])
    """
    if not isinstance(x, torch.Tensor):
        x = torch.as_tensor(x, dtype=like.dtype, device=like.device)
    x = cast(x, like.dtype)
    if len(like.shape) == 0 and x.numel() == 1:
        x = x.reshape(())
    return x.expand(like.shape)


def expect_like(x: torch.Tensor, like: Like) -> torch.Tensor:
    """The gradient of a value of this shape, in its dtype.

    >>> expect_like(torch.ones(2), like(torch.ones(3)))
    Traceback (most recent call last):
        ...
    ValueError: an output has shape (3,), its gradient (2,)
    """
    if x.shape != like.shape:
        raise ValueError(f"an output has shape {tuple(like.shape)}, its gradient {tuple(x.shape)}")
    return cast(x, like.dtype)


def gradient_like(x: torch.Tensor, like: Like) -> torch.Tensor:
    """The gradient of a value like this one: zeros where that holds integers or booleans.

    >>> gradient_like(torch.ones(2), like(torch.tensor([1, 2])))
    tensor([0., 0.])
    """
    return x if like.dtype.is_floating_point or like.dtype.is_complex else torch.zeros_like(x)


def in_place(x: torch.Tensor, a: Any, shared: str | None = None) -> torch.Tensor:
    """The value of `a` after ``a += y``, where `x` is ``a + y``: an array keeps its shape and dtype.

    >>> in_place(torch.ones(2).double(), torch.ones(2)).dtype
    torch.float32
    """
    if not isinstance(a, torch.Tensor) or a.ndim == 0:
        return x
    if shared is not None:
        raise RuntimeError(
            f"{shared}; it is an array here, which this changes as well: write to it by an index, as in "
            "`for i in range(len(a)): a[i] += 1`, or to a copy"
        )
    if x.shape != a.shape:
        raise ValueError(f"a value of shape {tuple(x.shape)} does not fit into one of {tuple(a.shape)}")
    if kind_of(x.dtype) > kind_of(a.dtype):
        raise TypeError(f"cannot write {x.dtype} to {a.dtype} in place")
    return x.to(a.dtype)


def zeros(like: Like) -> torch.Tensor:
    """Zeros of a shape and dtype."""
    return torch.zeros(like.shape, dtype=like.dtype, device=like.device)


def zeros_list(likes: Sequence[Like]) -> list[torch.Tensor]:
    """Zeros of these shapes and dtypes."""
    return [zeros(each) for each in likes]


def added(x: Any, y: Any) -> Any:
    """The sum of two parts of a gradient, of which one may be undefined.

    >>> added(None, torch.ones(2))
    tensor([1., 1.])
    """
    if x is None or y is None:
        return y if x is None else x
    return accumulate(x, y)


def accumulate(x: Any, y: Any) -> Any:
    """The sum of two gradients of one value; of two lists, of each element."""
    if isinstance(x, (list, tuple)):
        return [added(one, other) for one, other in zip(x, y, strict=True)]
    return x + y
