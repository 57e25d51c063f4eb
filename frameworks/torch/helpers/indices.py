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


def unravel_index(indices: Any, shape: Sequence[int]) -> tuple[torch.Tensor, ...]:
    """`np.unravel_index`: the place on each axis of places in the row of all entries."""
    return torch.unravel_index(torch.as_tensor(indices), tuple(shape))
