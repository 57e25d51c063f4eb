"""NumPy's functions that give indices, as tensors of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def nonzero(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """`np.nonzero`: the places of the entries that are not 0, a row of numbers for each axis.

    >>> nonzero(torch.tensor([0.0, 2.0, 1.0]))
    (tensor([1, 2]),)
    """
    return torch.nonzero(a, as_tuple=True)


def flatnonzero(a: Any) -> torch.Tensor:
    """`np.flatnonzero`: the places of such entries in the row of all."""
    return torch.nonzero(torch.as_tensor(a).reshape(-1), as_tuple=True)[0]


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """`np.triu_indices`: the rows and columns of the upper triangle of a matrix.

    >>> triu_indices(2)
    (tensor([0, 0, 1]), tensor([0, 1, 1]))
    """
    rows, columns = torch.triu_indices(n, n if m is None else m, k)
    return rows, columns


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """`np.tril_indices`: those of the lower triangle."""
    rows, columns = torch.tril_indices(n, n if m is None else m, k)
    return rows, columns


def triu_indices_from(arr: torch.Tensor, k: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """`np.triu_indices_from`: those of the upper triangle of this matrix."""
    return triu_indices(arr.shape[0], k, arr.shape[1])


def tril_indices_from(arr: torch.Tensor, k: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """`np.tril_indices_from`: those of its lower triangle."""
    return tril_indices(arr.shape[0], k, arr.shape[1])


def indices(dimensions: Sequence[int]) -> torch.Tensor:
    """`np.indices`: for each entry of an array of this shape, its place on each axis.

    >>> indices((2, 2))[1]
    tensor([[0, 1],
            [0, 1]])
    """
    axes = [torch.arange(length) for length in dimensions]
    return torch.stack(torch.meshgrid(*axes, indexing="ij"))


def ix_(*places: Any) -> tuple[torch.Tensor, ...]:
    """`np.ix_`: rows of places, or masks of them, on an axis of their own each.

    >>> [index.shape for index in ix_([0, 2], [1, 0, 3])]
    [torch.Size([2, 1]), torch.Size([1, 3])]
    """
    made = []
    for k, each in enumerate(places):
        row = torch.as_tensor(each)
        row = flatnonzero(row) if row.dtype == torch.bool else row
        made.append(row.reshape((1,) * k + (-1,) + (1,) * (len(places) - k - 1)))
    return tuple(made)


def unravel_index(indices: Any, shape: Sequence[int]) -> tuple[torch.Tensor, ...]:
    """`np.unravel_index`: the place on each axis of places in the row of all entries."""
    return torch.unravel_index(torch.as_tensor(indices), tuple(shape))
