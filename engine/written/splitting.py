"""An array in parts: views that share its memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..call import arrays
from .table import stands_for


@stands_for(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """As `np.split`: a list of tensors that share the memory, recorded.

    >>> import pullback as pb
    >>> split(pb.tensor([1.0, 2.0, 3.0]), [1])
    [tensor([1.]), tensor([2., 3.])]
    """
    return _pieces(ary, np.split(np.arange(ary.shape[axis]), arrays(indices_or_sections)), axis)


@stands_for(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """As `np.array_split`: parts may differ in length by one."""
    return _pieces(ary, np.array_split(np.arange(ary.shape[axis]), arrays(indices_or_sections)), axis)


@stands_for(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """As `np.hsplit`: parts beside each other."""
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)  # type: ignore[no-any-return]


@stands_for(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """As `np.vsplit`: parts on top of each other."""
    return split(ary, indices_or_sections, 0)  # type: ignore[no-any-return]


def _pieces(ary: Any, positions: list[Any], axis: int) -> list[Any]:
    """The stretches of an axis that each hold these positions, which follow each other."""
    before = (slice(None),) * normalize_axis_index(axis, ary.ndim)
    bounds = ((int(part[0]), int(part[-1]) + 1) if part.size else (0, 0) for part in positions)
    return [ary[(*before, slice(start, stop))] for start, stop in bounds]


@stands_for(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """As `np.dsplit`: parts along the third axis."""
    return split(ary, indices_or_sections, 2)  # type: ignore[no-any-return]


@stands_for(getattr(np, "unstack", None))
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """As `np.unstack`: the slices along an axis."""
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = normalize_axis_index(axis, x.ndim)
    return tuple(x[(*(slice(None),) * axis, i)] for i in range(x.shape[axis]))
