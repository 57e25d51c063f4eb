"""An array in parts: views that share its memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .table import stands_for


@stands_for(getattr(np, "unstack", None))
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """As `np.unstack`: the slices along an axis."""
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = normalize_axis_index(axis, x.ndim)
    return tuple(x[(*(slice(None),) * axis, i)] for i in range(x.shape[axis]))
