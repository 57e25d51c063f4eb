"""Entries at the targets' classes, which several losses take."""

from __future__ import annotations

from typing import Any

from ... import numpy as pnp
from ..arguments import expect_indices, expect_shape, integers


def axis_of_classes(x: Any, name: str) -> int:
    """The axis of an input (C) or (N, C, ...). ValueError for another."""
    if x.ndim < 1:
        raise ValueError(f"{name} takes an input (C) or (N, C, ...), not of shape ()")
    return 0 if x.ndim == 1 else 1


def of_class(x: Any, target: Any, weight: Any, ignore_index: int, name: str) -> tuple[Any, Any, Any]:
    """The entries at the target's classes, the weights of those, and where a target counts."""
    axis = axis_of_classes(x, name)
    expected = (*x.shape[:axis], *x.shape[axis + 1 :])
    places = expect_shape(integers(target, name), expected, f"{name}: a target for this input")
    counts = pnp.not_equal(places, ignore_index)
    places = pnp.where(counts, places, 0)
    classes = x.shape[axis]
    expect_indices(places, classes, IndexError, f"{name}: a target is outside of the {classes} classes")
    picked = pnp.squeeze(pnp.take_along_axis(x, pnp.expand_dims(places, axis), axis), axis)
    if weight is None:
        weights = counts.astype(x.dtype)
    else:
        weights = pnp.where(counts, pnp.take(expect_shape(weight, (classes,), f"{name}: weight"), places), 0)
    return pnp.where(counts, picked, 0), weights, counts
