"""The runtime's functions in NumPy. Shapes and indices are tuples, views arrays, sets of axes tuples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import erf, erfc
from typing import Any, NamedTuple

import numpy as np

from . import places
from .numbers import NUMBERS, Refused
from .packed import row_of
from .places import Array, NotInterpreted, Shape


class Picked(NamedTuple):
    """The places that an index by arrays names, and the shape of what it picks."""

    items: tuple[Any, ...]
    shape: Shape
    whole: Shape


def narrowed(value: Any, shape: Shape) -> Array:
    """One entry of a value for each of a shape that it repeats along the others. Raises NotInterpreted."""
    array: Array = np.asarray(value)
    if not array.size:
        if 0 not in shape:
            raise NotInterpreted("an entry of what has none")
        return np.empty(shape, array.dtype)
    array = array[(0,) * (array.ndim - len(shape))]
    found: Array = array[tuple(slice(0, 1) if n == 1 else slice(None) for n in shape)]
    return found


def reduced_to(value: Array, shape: Shape, how: Callable[..., Any], **options: Any) -> Any:
    """A reduction to a shape that broadcasts to the value's."""
    padded = (1,) * (value.ndim - len(shape)) + shape
    axes = tuple(k for k, n in enumerate(padded) if n == 1)
    return how(value, axis=axes, keepdims=True, **options).reshape(shape)


def function(name: str) -> Callable[..., Any]:
    """The function of this name. Raises NotInterpreted.

    >>> function("broadcast")(None, (3, 1), (4,))
    (3, 4)
    """
    found = _FUNCTIONS.get(name) or (getattr(np, name, None) if name in _OF_NUMPY else None)
    if found is None:
        raise NotInterpreted(name)
    return found


def _reduced(shape: Shape, axes: Shape, keepdims: bool) -> Shape:
    if keepdims:
        return tuple(1 if k in axes else n for k, n in enumerate(shape))
    return tuple(n for k, n in enumerate(shape) if k not in axes)


def _of_view(method: Callable[..., Any]) -> Callable[..., Any]:
    """A function that may be called with the context before its operand."""
    return lambda *args: method(*(args[1:] if args[0] is None else args))


def _stack(values: Sequence[Any], axis: int) -> Any:
    """Arrays along a new axis; of none an empty line, as of the lists of a loop that has no iterations."""
    return np.stack(values, axis) if values else np.empty(0)


def _into(method: Callable[..., Any]) -> Callable[..., None]:
    """A function whose last argument takes its result."""

    def call(_: None, *args: Any) -> None:
        args[-1][...] = method(*args[:-1])

    return call


def _diagonal(view: Array, offset: int, axis1: int, axis2: int) -> Array:
    """A view of a diagonal, which may be written to where the array may be."""
    found: Array = np.diagonal(view, offset, axis1, axis2)
    found.setflags(write=view.flags.writeable)
    return found


def _take(_: None, view: Array, items: tuple[Any, ...]) -> Any:
    """A part by a basic index, which is a view also where it has no axes."""
    return view[items if any(item is Ellipsis for item in items) else (*items, ...)]


def _set_entry(_: None, view: Array, value: Any, *places: int) -> None:
    view[places] = value


def _joined(_: None, shapes: Sequence[Shape], axis: int, stacked: bool) -> Shape:
    join = np.stack if stacked else np.concatenate
    return join([np.empty(shape, np.bool_) for shape in shapes], axis).shape


def _joined_part(_: None, view: Array, shapes: Sequence[Shape], k: int, axis: int, stacked: bool) -> Any:
    moved = np.moveaxis(view, axis, 0)
    if stacked:
        return moved[k, ...]
    first = sum(shape[axis] for shape in shapes[:k])
    return np.moveaxis(moved[first : first + shapes[k][axis]], 0, axis)


def _matmul(_: None, a: Array, b: Array, target: Array, adds: bool = False) -> None:
    product = np.matmul(a, b)
    if product.ndim < target.ndim:
        product = product[..., None]
    target[...] = reduced_to(product, target.shape, np.sum) + (target if adds else 0)


def _picked(_: None, shape: Shape, items: tuple[Any, ...]) -> Picked:
    return Picked(items, np.empty(shape, np.bool_)[items].shape, shape)


def _unpick(_: None, values: Array, places: Picked, target: Array) -> None:
    target[...] = 0
    np.add.at(target, places.items, values)


def _last_written(_: None, picked: Picked, target: Array) -> None:
    number = np.arange(target.size).reshape(target.shape)
    whole = np.zeros(picked.whole, np.int64)
    whole[picked.items] = number
    target[...] = whole[picked.items] == number


def _put(_: None, whole: Array, values: Array, places: Picked, target: Array) -> None:
    target[...] = whole
    target[places.items] = values


def _axis(count: int, axis: int) -> int:
    if not -count <= axis < count:
        raise Refused("an axis out of range")
    return axis % count


def _triangle(view: Array, k: int, upper: bool) -> Any:
    if view.ndim < 2:  # of which NumPy makes a matrix, and kernels nothing
        raise Refused("a triangle of a vector")
    return np.triu(view, k) if upper else np.tril(view, k)


def _position(view: Array, axis: int, largest: bool) -> Any:
    return (np.argmax if largest else np.argmin)(view, axis=axis, keepdims=True)


def _truth(_: None, view: Array, every: bool, target: Array) -> None:
    target[...] = reduced_to(view, target.shape, np.all if every else np.any)


def _repeated(_: None, shape: Shape, repeats: Sequence[int], axis: int) -> Shape:
    if not shape:  # of which NumPy makes an array with an axis, and kernels nothing
        raise Refused("repeats of a number")
    return np.repeat(np.empty(shape, np.bool_), repeats, axis).shape


def _solve(a: Array, b: Array) -> Array:
    """The solution; of a vector for each matrix, where that is one."""
    found: Array = np.linalg.solve(a, b[:, None])[..., 0] if b.ndim == 1 else np.linalg.solve(a, b)
    return found


def _part_shape(_: None, a: Shape, letters: str) -> Shape:
    """The shape of a decomposition's part: a letter for each axis, behind those of the stack."""
    lengths = {"m": a[-2], "n": a[-1], "k": min(a[-2:])}
    return (*a[:-2], *(lengths[letter] for letter in letters))


def _into_each(method: Callable[[Array], Sequence[Any]]) -> Callable[..., None]:
    """A function of one array whose other arguments take its results."""

    def call(_: None, view: Array, *targets: Array) -> None:
        for target, result in zip(targets, method(view), strict=True):
            target[...] = result

    return call


def _mode(overlap: str) -> Any:
    return overlap.removeprefix("Overlap::k").lower()


def _fill(_: None, view: Array, value: Any) -> None:
    view[...] = value


_NUMPY = """
    abs ceil floor sqrt trunc copysign square maximum minimum fmax fmin sign isnan isfinite isinf signbit
    remainder floor_divide arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh exp exp2 expm1 log
    log10 log1p log2 sin sinh tan tanh arctan2 fmod hypot power logaddexp logaddexp2 where round
"""
_OF_NUMPY = frozenset(_NUMPY.split())
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **NUMBERS,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(0, x),
    "sinc": np.sinc,
    "where_stored": np.where,
    "erf": np.vectorize(erf, otypes=[np.float64]),
    "erfc": np.vectorize(erfc, otypes=[np.float64]),
    # Shapes, and sets of axes.
    "shape_of": lambda *sizes: tuple(map(int, sizes)),
    "broadcast": lambda _, *shapes: np.broadcast_shapes(*shapes),
    "within": lambda shape, whole: np.broadcast_shapes(shape, whole) == whole,
    "alike": lambda *shapes: len(set(shapes)) == 1,
    "all_axes": lambda count: tuple(range(count)),
    "axis_set": lambda _, axes, count: tuple(sorted(map(partial(_axis, count), axes))),
    "unit_axes": lambda shape: tuple(k for k, n in enumerate(shape) if n == 1),
    "reduced": _reduced,
    "extent": lambda _, shape, k: shape[k],
    "part_of": lambda shape, part: shape[part],
    "after_each_other": lambda _, *shapes: sum(shapes, ()),
    "length_of_range": lambda _, *bounds: len(range(*map(int, bounds))),
    "matmul_shape": lambda _, a, b: np.matmul(np.empty(a), np.empty(b)).shape,
    "joined": _joined,
    "repeated": _repeated,
    "arange_shape": lambda _, *bounds: (len(range(*map(int, bounds))),),
    # Views.
    "expand_dims": _of_view(np.expand_dims),
    "squeeze": _of_view(np.squeeze),
    "transpose": _of_view(np.transpose),
    "swapaxes": _of_view(np.swapaxes),
    "moveaxis": _of_view(np.moveaxis),
    "flip": _of_view(lambda view, axes: np.flip(view, axes) if view.ndim else view),
    "broadcast_to": _of_view(np.broadcast_to),
    "reshape": _of_view(np.reshape),
    "diagonal": lambda _, *args: _diagonal(*args),
    "take": _take,
    "joined_part": _joined_part,
    "in_c_order": lambda view, shape: view.reshape(shape),
    "at": int,
    "at_if_any": lambda position: position,
    "slice": lambda *bounds: slice(*bounds),
    "ellipsis": lambda: Ellipsis,
    "new_axis": lambda: None,
    # Data.
    "holds": lambda _, view: bool(view.reshape(())),
    "entry": lambda _, view, *places: view[places],
    "set_entry": _set_entry,
    "views_of": lambda _, numbers: list(map(np.asarray, numbers)),
    "in_a_row": lambda _, numbers, view: _fill(None, view, np.asarray(numbers)),
    "may_end_early": lambda _, iterations: iterations if iterations <= 1 << 16 else 512,
    "constant": lambda _, value: np.asarray(value),
    "nothing": lambda: np.zeros(()),
    "fill": _fill,
    "copy": _into(lambda view: view),
    "matmul": _matmul,
    "contract_shape": lambda _, subscripts, shapes: np.einsum(subscripts, *map(np.empty, shapes)).shape,
    "contract": lambda _, subscripts, views, target: _fill(None, target, np.einsum(subscripts, *views)),
    "cumsum": _into(lambda view, axis: np.cumsum(view, _axis(view.ndim, axis))),
    "cumprod": _into(lambda view, axis: np.cumprod(view, _axis(view.ndim, axis))),
    "repeat": _into(np.repeat),
    "triangle": _into(_triangle),
    "arange": lambda _, first, step, view: _fill(None, view, first + step * np.arange(len(view))),
    "eye": lambda _, k, view: _fill(None, view, np.eye(view.shape[0], view.shape[1], k)),
    "tri": lambda _, k, view: _fill(None, view, np.tri(view.shape[0], view.shape[1], k)),
    "roll": _into(np.roll),
    "argcummax": _into(partial(places.running_places, np.maximum)),
    "argcummin": _into(partial(places.running_places, np.minimum)),
    "argsort": _into(lambda view, axis: np.argsort(view, _axis(view.ndim, axis), kind="stable")),
    "searchsorted": _into(lambda a, v, behind: np.searchsorted(a, v, "right" if behind else "left")),
    "position_of_extreme": _into(_position),
    "truth_of": _truth,
    "solved_shape": lambda _, a, b: np.broadcast_shapes(a[:-2], b[:-2]) + b[-2:] if len(b) > 1 else a[:-1],
    "solve": _into(_solve),
    "inv": _into(np.linalg.inv),
    "det": _into(np.linalg.det),
    "cholesky": _into(np.linalg.cholesky),
    "part_shape": _part_shape,
    "slogdet": _into_each(np.linalg.slogdet),
    "eigh": _into_each(np.linalg.eigh),
    "eigh_upper": _into_each(partial(np.linalg.eigh, UPLO="U")),
    "qr": _into_each(np.linalg.qr),
    "svd": _into_each(lambda view: np.linalg.svd(view, full_matrices=False)),
    "convolve_shape": lambda _, a, v, overlap: np.convolve(np.ones(a), np.ones(v), _mode(overlap)).shape,
    "convolve": _into(lambda a, v, overlap: np.convolve(a, v, _mode(overlap))),
    "linear_recurrence": places.linear_recurrence,
    # Entries at places that are data.
    "picked_at": _picked,
    "pick": _into(lambda view, places: view[places.items]),
    "unpick": _unpick,
    "put": _put,
    "last_written": _last_written,
    "along_shape": places.along_shape,
    "take_along_axis": places.take_along,
    "put_along": places.put_along,
    "take_region": places.take_region,
    "spread_region": places.spread_region,
    "clear_region": places.clear_region,
    "flatten_axes": places.flatten_axes,
    "unflatten_axes": places.unflatten_axes,
    "sum_repeats": places.sum_repeats,
    "tiled": lambda _, shape, reps: np.tile(np.empty(shape, np.bool_), reps).shape,
    "tile": places.tile,
    "sum_tiles": places.sum_tiles,
    # Lists.
    "appended": lambda values, value: [*values, value],
    "without_last": lambda values: values[:-1],
    "shapes_of": lambda values: [value.shape for value in values],
    "broadcast_of": lambda _, values: np.broadcast_shapes(*(value.shape for value in values)),
    "stacked": lambda _, shape, count, axis: _stack([np.empty(shape, np.bool_)] * count, axis).shape,
    "stack": _into(_stack),
    "concatenated": lambda _, values, axis: np.concatenate(values, axis).shape,
    "concatenate": _into(np.concatenate),
    "entries": lambda values: sum(value.size for value in values),
    "flatten": _into(lambda values: np.concatenate([value.reshape(-1) for value in values] or [[]])),
    "packed_size": lambda value: len(row_of(value, 0)),
    "unflatten": places.unflatten,
    "split": places.split,
    "join_like": places.join_like,
    "summed_to": lambda _, value, shape: reduced_to(value, shape, np.sum),
    "zeros_of": lambda _, shapes: [np.zeros(shape) for shape in shapes],
}
