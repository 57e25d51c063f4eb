"""The same entries in another shape or order, and their adjoints."""

from __future__ import annotations

from typing import Any

import torch

from .entries import scattered


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that are meant, counted from the first; all where it is None, none of what has none."""
    if axis is None or ndim == 0:
        return tuple(range(ndim))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for each in axes:
        if not -ndim <= each < ndim:
            raise IndexError(f"axis {each} of a tensor of {ndim} axes")
    return tuple([each % ndim for each in axes])


def transpose(a: torch.Tensor, axes: Any = None) -> torch.Tensor:
    """The axes in this order, or all in the reverse one.

    >>> transpose(torch.ones(2, 3, 4)).shape
    torch.Size([4, 3, 2])
    """
    return torch.permute(a, tuple(range(a.ndim))[::-1] if axes is None else tuple(axes))


def moveaxis(a: torch.Tensor, source: Any, destination: Any) -> torch.Tensor:
    """The tensor with axes moved to other places."""
    if not isinstance(source, int):
        source, destination = tuple(source), tuple(destination)
    return torch.movedim(a, source, destination)


def flip(a: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """Entries in the reverse order along these axes, or along all."""
    return torch.flip(a, axes_of(axis, a.ndim))


def roll(a: torch.Tensor, shift: Any, axis: Any = None) -> torch.Tensor:
    """Entries moved along axes, those beyond the end to the front; `axis` None moves them all in one row."""
    if isinstance(axis, tuple) and not isinstance(shift, tuple):
        shift = (shift,) * len(axis)
    return torch.roll(a, shift, axis)


def expand_dims(a: torch.Tensor, axis: Any) -> torch.Tensor:
    """An axis of length one at each of these places of the result.

    >>> expand_dims(torch.ones(3), (0, 2)).shape
    torch.Size([1, 3, 1])
    """
    if isinstance(axis, int):
        return torch.unsqueeze(a, axis)
    for place in sorted(axes_of(axis, a.ndim + len(axis))):
        a = torch.unsqueeze(a, place)
    return a


def squeeze(a: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """The tensor without axes of length one, which those of `axis` must have."""
    axes = axes_of(axis, a.ndim) if axis is not None else [k for k, n in enumerate(a.shape) if n == 1]
    if any(a.shape[each] != 1 for each in axes):
        raise ValueError(f"an axis of {tuple(a.shape)} that is not of length one cannot be removed")
    return a.reshape([n for k, n in enumerate(a.shape) if k not in axes])


def repeat(a: torch.Tensor, repeats: Any, axis: Any = None) -> torch.Tensor:
    """Each entry so many times along an axis, or of all entries in one row.

    >>> repeat(torch.tensor([1, 2]), (2, 1))
    tensor([1, 1, 2])
    """
    if axis is None:
        a, axis = a.reshape(-1), 0
    counts = repeats if isinstance(repeats, int) else torch.as_tensor(repeats, device=a.device)
    if not isinstance(counts, int) and counts.numel() == 1:
        counts = int(counts)
    return torch.repeat_interleave(a, counts, dim=axis)


def sum_repeats(a: torch.Tensor, repeats: Any, axis: Any, shape: Any) -> torch.Tensor:
    """The sum over the copies that `repeat` made of a tensor of a shape: its adjoint."""
    every = torch.arange(torch.Size(shape).numel(), device=a.device).reshape(shape)
    return scattered(a, repeat(every, repeats, axis), shape)


def tile(a: torch.Tensor, reps: Any) -> torch.Tensor:
    """Copies of a tensor side by side, so many along each axis."""
    return torch.tile(a, (reps,) if isinstance(reps, int) else tuple(reps))


def sum_tiles(a: torch.Tensor, reps: Any, shape: Any) -> torch.Tensor:
    """The sum over the copies that `tile` made of a tensor of a shape: its adjoint."""
    every = torch.arange(torch.Size(shape).numel(), device=a.device).reshape(shape)
    return scattered(a, tile(every, reps), shape)


def diagonal(a: torch.Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> torch.Tensor:
    """The entries on a diagonal of two axes, along a new last one."""
    return torch.diagonal(a, offset, axis1, axis2)


def undiagonal(a: torch.Tensor, offset: int, axis1: int, axis2: int, shape: Any) -> torch.Tensor:
    """Zeros of a shape with `a` on a diagonal: the adjoint of `diagonal`.

    >>> undiagonal(torch.tensor([1.0, 2.0]), 0, 0, 1, (2, 2))
    tensor([[1., 0.],
            [0., 2.]])
    """
    every = torch.arange(torch.Size(shape).numel(), device=a.device).reshape(shape)
    return scattered(a, torch.diagonal(every, offset, axis1, axis2), shape)


def trace(a: torch.Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> torch.Tensor:
    """The sum of the entries on a diagonal of two axes."""
    return torch.diagonal(a, offset, axis1, axis2).sum(-1)


def flatten_axes(a: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """These axes, or all, moved to the end and merged into one.

    >>> flatten_axes(torch.ones(2, 3, 4), axis=(0, -1)).shape
    torch.Size([3, 8])
    """
    axes = axes_of(axis, a.ndim)
    moved = torch.movedim(a, axes, tuple(range(a.ndim - len(axes), a.ndim)))
    count = 1
    for each in axes:
        count *= a.shape[each]
    return moved.reshape((*moved.shape[: a.ndim - len(axes)], count))


def unflatten_axes(a: torch.Tensor, axis: Any, shape: Any) -> torch.Tensor:
    """The inverse of `flatten_axes` for an operand of a shape."""
    axes = axes_of(axis, len(shape))
    lengths = (*(n for k, n in enumerate(shape) if k not in axes), *(shape[k] for k in axes))
    return torch.movedim(a.reshape(lengths), tuple(range(len(shape) - len(axes), len(shape))), axes)


def eye(N: int, M: Any = None, k: int = 0, dtype: Any = torch.float64, device: Any = None) -> torch.Tensor:
    """Ones on a diagonal of a matrix of zeros."""
    rows, columns = torch.arange(N, device=device), torch.arange(N if M is None else M, device=device)
    return (columns == rows[:, None] + k).to(dtype)


def tri(N: int, M: Any = None, k: int = 0, dtype: Any = torch.float64, device: Any = None) -> torch.Tensor:
    """Ones on a diagonal of a matrix of zeros and below it."""
    rows, columns = torch.arange(N, device=device), torch.arange(N if M is None else M, device=device)
    return (columns <= rows[:, None] + k).to(dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, device: Any = None) -> torch.Tensor:
    """Numbers from `start` on, before `stop`, as NumPy's: float64 where one of them is a float."""
    if stop is None:
        start, stop = 0, start
    whole = all(isinstance(number, int | torch.SymInt) for number in (start, stop, step))
    return torch.arange(start, stop, step, dtype=torch.int64 if whole else torch.float64, device=device)
