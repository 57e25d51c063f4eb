"""The runtime's functions that move, add or pick entries by their places, in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .numbers import Refused

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class NotInterpreted(Exception):
    """A function of the runtime that is not in the table."""


def along_shape(_: None, shape: Shape, positions: Shape, axis: int) -> Shape:
    """The shape of what positions along an axis take.

    >>> along_shape(None, (2, 3), (1, 5), -1)
    (2, 5)
    """
    others = [*shape]
    others[axis] = 1
    return np.broadcast_shapes(tuple(others), positions)


def take_along(_: None, view: Array, positions: Array, axis: int, target: Array) -> None:
    """Entries at positions along an axis, the others broadcast."""
    target[...] = view[_along(target.shape, view.shape, positions, axis)]


def put_along(_: None, view: Array, positions: Array, axis: int, target: Array) -> None:
    """Zeros, with each entry added where it was taken."""
    target[...] = 0
    np.add.at(target, _along(view.shape, target.shape, positions, axis), view)


def _along(shape: Shape, whole: Shape, positions: Array, axis: int) -> tuple[Array, ...]:
    places = [place * (n > 1) for place, n in zip(np.indices(shape), whole, strict=True)]
    places[axis] = np.broadcast_to(positions, shape)
    return tuple(places)


def take_region(_: None, view: Array, places: Array, *unwritten: Array) -> None:
    """Entries at places in C order; zero for those that another write replaced. The last array takes them."""
    *masks, target = unwritten
    target[...] = np.where(masks[0], 0, view.reshape(-1)[places]) if masks else view.reshape(-1)[places]


def spread_region(_: None, view: Array, places: Array, *unwritten: Array) -> None:
    """Zeros in the last array, with each entry added at its place in C order."""
    *masks, target = unwritten
    whole = np.zeros(target.size)
    np.add.at(whole, places, np.where(masks[0], 0, view) if masks else view)
    target[...] = whole.reshape(target.shape)


def clear_region(_: None, view: Array, places: Array, *unwritten: Array) -> None:
    """A copy in the last array, with zeros at places in C order."""
    target = unwritten[-1]
    whole = np.array(view).reshape(-1)
    whole[places] = 0
    target[...] = whole.reshape(target.shape)


def flatten_axes(_: None, view: Array, axes: Shape) -> Array:
    """Axes moved to the end and merged.

    >>> flatten_axes(None, np.zeros((2, 3, 5)), (0, 2)).shape
    (3, 10)
    """
    first = view.ndim - len(axes)
    moved = np.moveaxis(view, axes, range(first, view.ndim))
    return moved.reshape((*moved.shape[:first], prod(moved.shape[first:])))


def unflatten_axes(_: None, view: Array, axes: Shape, shape: Shape) -> Array:
    """The inverse, for an array that had this shape."""
    last = range(len(shape) - len(axes), len(shape))
    moved = np.moveaxis(np.empty(shape, np.bool_), axes, last).shape
    return np.moveaxis(view.reshape(moved), last, axes)


def sum_repeats(_: None, view: Array, repeats: Shape, axis: int, target: Array) -> None:
    """The sums of repeated entries. Raises Refused for a number's."""
    if not target.ndim:
        raise Refused("repeats of a number")
    target[...] = 0
    places = np.repeat(np.arange(target.shape[axis]), repeats)
    np.add.at(np.moveaxis(target, axis, 0), places, np.moveaxis(view, axis, 0))


def tile(_: None, view: Array, target: Array) -> None:
    """An array side by side with itself."""
    target[...] = view[_before_tiles(view.shape, target.shape)]


def sum_tiles(_: None, view: Array, reps: Shape, target: Array) -> None:
    """The sums of entries that stood side by side."""
    target[...] = 0
    if target.ndim:
        np.add.at(target, _before_tiles(target.shape, view.shape), view)
    else:
        target[...] = np.sum(view)


def _before_tiles(shape: Shape, tiled: Shape) -> tuple[Array, ...]:
    places = np.indices(tiled)[len(tiled) - len(shape) :]
    return tuple(place % max(n, 1) for place, n in zip(places, shape, strict=True))


def linear_recurrence(_: None, factors: Array, terms: Array, reverse: bool, target: Array) -> None:
    """Each entry along the last axis the term and the factor times the one before, or behind in reverse."""
    a, b = (np.broadcast_to(operand, target.shape) for operand in (factors, terms))
    carried = np.zeros(target.shape[:-1])
    for k in reversed(range(target.shape[-1])) if reverse else range(target.shape[-1]):
        target[..., k] = carried = b[..., k] + a[..., k] * carried


def join_like(_: None, parts: Sequence[Array], axis: int, target: Array) -> None:
    """The same parts together again, each with axes of length one before its own."""
    lifted = [part.reshape((1,) * (target.ndim - part.ndim) + part.shape) for part in parts]
    ends = np.cumsum([part.shape[axis] for part in lifted])
    for place, part in zip(np.split(target, ends[:-1], axis), lifted, strict=True):
        place[...] = part


def split(_: None, whole: Array, shapes: Sequence[Shape], axis: int) -> list[Array]:
    """Stretches along an axis, one per shape."""
    found, start = [], 0
    for shape in shapes:
        lifted = (1,) * (whole.ndim - len(shape)) + shape
        extent = lifted[axis]
        part = np.moveaxis(np.moveaxis(whole, axis, 0)[start : start + extent], 0, axis)
        found.append(part.reshape(part.shape[whole.ndim - len(shape) :]))
        start += extent
    return found


def unflatten(_: None, line: Array, shapes: Sequence[Shape]) -> list[Array]:
    """The arrays of these shapes whose entries a line has."""
    ends = np.cumsum([0, *map(prod, shapes)])
    return [
        line[first : first + prod(shape)].reshape(shape) for first, shape in zip(ends, shapes, strict=False)
    ]


def running_places(extreme: np.ufunc, view: Array, axis: int) -> Array:
    """The positions of running extremes along an axis: of equal ones the last, or the last NaN."""
    lines = np.moveaxis(view, axis, 0)
    found = (lines == extreme.accumulate(lines)) | (lines != lines)
    here = np.expand_dims(np.arange(len(lines)), tuple(range(1, view.ndim)))
    places: Array = np.moveaxis(np.maximum.accumulate(np.where(found, here, 0)), 0, axis)
    return places
