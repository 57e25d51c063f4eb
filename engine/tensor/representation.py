"""The printed form of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import MutationError


def representation(self: Any) -> str:
    """Values, dtype where it isn't float64, and what made it.

    >>> import pullback as pb
    >>> pb.tensor([1.0, 2.0], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    """
    parts = [np.array2string(self._array, separator=", ", prefix="tensor(")]
    if self.size == 0 and self.shape != (0,):
        parts.append(f"shape={self.shape}")
    if self.dtype != np.float64:
        parts.append(f"dtype={self.dtype}")
    if self.name is not None:
        parts.append(f"name={self.name!r}")
    try:
        if self.grad_fn is not None:
            parts.append(f"grad_fn=<{self.grad_fn.name}>")
        elif self.requires_grad:
            parts.append("requires_grad=True")
    except MutationError as error:  # a view whose history can't be made anew
        parts.append(f"refused={str(error)!r}")
    return f"tensor({', '.join(parts)})"
