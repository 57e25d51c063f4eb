"""Entries that are read and written by their places, with PyTorch's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

import pullback as pb
import pullback.numpy as np

from .arguments import NotTakenError, values_of
from .shapes import at


def _flat(x: Any) -> Any:
    return x if x.ndim else np.reshape(x, (1,))


def _grid(index: Any, dim: int) -> tuple[Any, ...]:
    """The places to which the entries of `index` lead along one axis, as an index of arrays."""
    places = list(numpy.indices(index.shape, sparse=True))
    places[dim % index.ndim] = index
    return tuple(places)


def gather(x: Any, dim: int, index: Any, **_: Any) -> Any:
    """The entries whose place along one axis stands in `index`."""
    found = _flat(x)[_grid(_flat(index), dim)]
    return np.reshape(found, index.shape)


def put(x: Any, index: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy with other values at an index, or with these added."""
    if accumulate:
        shape = numpy.empty(x.shape)[index].shape
        return x + pb.primitives.unslice(np.broadcast_to(values, shape), index, x.shape)
    made = np.copy(x)
    made[index] = values
    return made


def _scatter(x: Any, dim: int, index: Any, src: Any, reduce: str | None = None) -> Any:
    if reduce is not None:
        raise NotTakenError(f"a scatter that reduces by {reduce!r}")
    whole, places = _flat(x), _flat(index)
    values = src if numpy.ndim(src) == 0 else src[tuple(slice(n) for n in index.shape)]
    return np.reshape(put(whole, _grid(places, dim), values), x.shape)


def _scatter_add(x: Any, dim: int, index: Any, src: Any) -> Any:
    values = _flat(src)[tuple(slice(n) for n in _flat(index).shape)]
    return np.reshape(put(_flat(x), _grid(_flat(index), dim), values, True), x.shape)


def _scatter_reduce(x: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Any:
    if reduce != "sum":
        raise NotTakenError(f"a scatter that reduces by {reduce!r}")
    if not include_self:
        hit = values_of(_scatter(np.zeros(x.shape), dim, index, 1.0)) != 0
        x = np.where(hit, 0.0, x)
    return _scatter_add(x, dim, index, src)


def _at_places(x: Any, dim: int, index: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy with other values at places along one axis, or with these added."""
    whole = _flat(x)
    return np.reshape(put(whole, at(whole, dim, numpy.atleast_1d(index)), values, accumulate), x.shape)


def _slices(x: Any, dim: int, source: Any) -> Any:
    """Values for places along one axis: all axes of `x`, with any length along that one."""
    shape = list(_flat(x).shape)
    shape[dim] = -1
    return np.reshape(source, tuple(shape))


def _index_add(x: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    return _at_places(x, dim, index, alpha * _slices(x, dim, source), accumulate=True)


def _index_copy(x: Any, dim: int, index: Any, source: Any) -> Any:
    return _at_places(x, dim, index, _slices(x, dim, source))


def _index_select(x: Any, dim: int, index: Any) -> Any:
    return np.reshape(np.take(_flat(x), numpy.atleast_1d(index), axis=dim), _selected(x, dim, index))


def _selected(x: Any, dim: int, index: Any) -> tuple[int, ...]:
    if x.ndim == 0:
        return ()
    shape = list(x.shape)
    shape[dim] = numpy.size(index)
    return tuple(shape)


def _index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    index = tuple(slice(None) if each is None else each for each in indices)
    return put(x, index, values, accumulate)


def _put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    flat = np.reshape(x, (-1,))
    made = put(flat, numpy.reshape(index, -1), np.reshape(source, (-1,)), accumulate)
    return np.reshape(made, x.shape)


def _take(x: Any, index: Any) -> Any:
    return np.reshape(x, (-1,))[index]


def _take_along(x: Any, indices: Any, dim: int | None = None) -> Any:
    if dim is None:
        return np.reshape(x, (-1,))[numpy.reshape(indices, -1)]
    shape = numpy.broadcast_shapes(
        *(tuple(1 if k == dim % x.ndim else n for k, n in enumerate(each.shape)) for each in (x, indices))
    )
    long = [*shape]
    long[dim] = x.shape[dim]
    wide = [*shape]
    wide[dim] = indices.shape[dim]
    places = numpy.broadcast_to(indices, wide)
    return np.take_along_axis(np.broadcast_to(x, tuple(long)), places, dim)


def _masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    shape = numpy.broadcast_shapes(x.shape, mask.shape)
    places = numpy.nonzero(numpy.broadcast_to(mask, shape))
    values = np.reshape(source, (-1,))[: len(places[0]) if shape else int(mask)]
    if not shape:
        return np.reshape(values, ()) if mask else np.copy(x)
    return put(np.broadcast_to(x, shape), places, values)


def _masked_select(x: Any, mask: Any) -> Any:
    shape = numpy.broadcast_shapes(x.shape, mask.shape)
    return np.broadcast_to(x, shape)[numpy.broadcast_to(mask, shape)]


def _diagonal_scatter(x: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    turned = np.moveaxis(x, (dim1, dim2), (-2, -1))
    rows = numpy.arange(src.shape[-1]) + max(0, -offset)
    return np.moveaxis(put(turned, (..., rows, rows + offset), src), (-2, -1), (dim1, dim2))


def _slice_scatter(x: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    return put(x, at(x, dim, slice(start, end, step)), src)


TABLE: dict[str, Callable[..., Any]] = {
    "__getitem__": lambda x, index: x[index],
    "diagonal_scatter": _diagonal_scatter,
    "gather": gather,
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_fill": _at_places,
    "index_put": _index_put,
    "index_select": _index_select,
    "masked_scatter": _masked_scatter,
    "masked_select": _masked_select,
    "put": _put,
    "scatter": _scatter,
    "scatter_add": _scatter_add,
    "scatter_reduce_sum": _scatter_reduce,
    "select_scatter": lambda x, src, dim, index: put(x, at(x, dim, index), src),
    "slice_scatter": _slice_scatter,
    "take": _take,
    "take_along_dim": _take_along,
}
