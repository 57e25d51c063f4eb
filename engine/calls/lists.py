"""Lists in the place of arrays, which have no gradient before they are joined to a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dispatch import engine_of
from .call import operators


def joined(value: Any) -> Any:
    """A list, of any depth, as an array; as a tensor, recorded, where there are tensors in it.

    ValueError where its parts have several shapes.

    >>> import pullback as pb
    >>> joined([[1.0, 2.0], [3.0, 4.0]]).shape
    (2, 2)
    >>> joined([pb.tensor(1.0), 2.0])
    tensor([1., 2.])
    """
    if not isinstance(value, (list, tuple)):
        return value
    if engine_of(value) is None:
        return np.asarray(value)
    return operators.stack([joined(part) for part in value])
