"""Functions that the transformation puts into closures, on arrays and on tensors.

Each is an operator with a formula in `formulas/gradient.py` or `formulas/index.py`;
what stands here is its meaning on arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..core.dispatch import engine_of
from ..core.errors import GradientShapeError, MutationError, NotDifferentiableError
from ..core.registry import FORMULAS


class Like(NamedTuple):
    """Shape and dtype of a tensor, without its data.

    >>> Like((2, 3), np.dtype("float32")).size
    6
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """The number of elements, as `np.size` asks for it."""
        return prod(self.shape)


def like(x: Any) -> Any:
    """Shape and dtype of an array, tensor or number; of a list, a tuple with those of each.

    >>> like(np.zeros((2, 3), np.float32))
    Like(shape=(2, 3), dtype=dtype('float32'))
    """
    kind = type(x)
    if kind is np.ndarray:
        return tuple.__new__(Like, (x.shape, x.dtype))
    if kind is Like:
        return x
    if kind is list or kind is tuple:
        return tuple(like(0.0 if item is None else item) for item in x)
    if not hasattr(x, "dtype"):
        x = np.asarray(x)
    return Like(tuple(x.shape), x.dtype)


def recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """On tensors, call the operator with this function's name instead."""
    name = function.__name__

    @wraps(function)
    def dispatching(*args: Any, **kwargs: Any) -> Any:
        if engine_of(*args) is None:
            return function(*args, **kwargs)
        entry = FORMULAS.of_operator(name)
        assert entry is not None, f"the library has a formula for {name}"
        return entry(*args, **kwargs)

    return dispatching


def adjusted(function: Callable[..., Any]) -> Callable[..., Any]:
    """`recorded`, for a function that gives `x` the form of `like`: a tensor that has it stays as it is."""
    on_tensors = recorded(function)

    @wraps(function)
    def adjusting(x: Any, like: Like) -> Any:
        if (
            (type(x) is np.ndarray or engine_of(x) is not None)
            and x.shape == like.shape
            and x.dtype == like.dtype
        ):
            return x
        return on_tensors(x, like)

    return adjusting


def _cast(x: Any, dtype: np.dtype[Any]) -> Any:
    """To a dtype, by the real part where it is real."""
    if np.iscomplexobj(x) and dtype.kind != "c":
        x = x.real
    return np.asarray(x).astype(dtype, copy=False)


@adjusted
def sum_to(x: Any, like: Like) -> Any:
    """Sum a cotangent over the axes along which `like` was broadcast to it, in `like`'s dtype.

    The real part is taken where `like` is real. What has no axes fits a shape of one entry, for the sum
    of a 0-d array over axis 0 has no axes either. Raises GradientShapeError where the shape of `x` is no
    broadcast of `like.shape`.

    >>> sum_to(np.ones((3, 4)), Like((3, 1), np.dtype("float32"))).ravel()
    array([4., 4., 4.], dtype=float32)
    """
    shape = like.shape
    have = np.shape(x)
    if have == () and prod(shape) == 1:
        x, have = np.reshape(x, shape), shape
    lead = len(have) - len(shape)
    if lead < 0 or any(n not in (m, 1) for n, m in zip(shape, have[lead:], strict=True)):
        raise GradientShapeError(
            f"a gradient of shape {have} does not fit the value it belongs to, of shape {shape}: "
            "its shape must be that one, or a broadcast of it"
        )
    if have != shape:
        stretched = tuple(lead + i for i, n in enumerate(shape) if n == 1 and have[lead + i] != 1)
        x = np.sum(x, axis=(*range(lead), *stretched), keepdims=True).reshape(shape)
    return _cast(x, like.dtype)


@adjusted
def broadcast_like(x: Any, like: Like) -> Any:
    """Repeat `x` to the shape of `like`, in its dtype: the adjoint of `sum_to`.

    One entry may lose its axes, as the gradient of the sum of a 0-d array over axis 0 has to.

    >>> broadcast_like(np.ones((1,)), Like((3,), np.dtype("float64")))
    array([1., 1., 1.])
    """
    x = _cast(x, like.dtype)
    return np.broadcast_to(x.reshape(()) if like.shape == () and x.size == 1 else x, like.shape)


@adjusted
def expect_like(x: Any, like: Like) -> Any:
    """`x` in the dtype of `like`, whose shape it must have: a cotangent of a value like it.

    Raises GradientShapeError where its shape is another one.

    >>> expect_like(np.ones(3), Like((3,), np.dtype("float32"))).dtype
    dtype('float32')
    """
    if np.shape(x) != like.shape:
        raise GradientShapeError(f"an output has shape {like.shape}, its part of v {np.shape(x)}")
    return _cast(x, like.dtype)


def gradient_like(x: Any, like: Like) -> Any:
    """`x` as the gradient of a value like this one: zeros where that holds integers or booleans.

    What is cast to those is constant but where it jumps.

    >>> gradient_like(np.ones(2), Like((2,), np.dtype("int64")))
    array([0., 0.])
    """
    return x if like.dtype.kind in "fc" else np.zeros_like(x)


def in_place(x: Any, a: Any, shared: str | None = None) -> Any:
    """The value of `a` after ``a += y``, where `x` is ``a + y``: `x` in the shape and dtype of an array.

    An array is written to in place, so it keeps both. A number is replaced: then this is `x`.

    shared   who else sees the memory of `a`, which then must be a number

    Raises what NumPy does where the shape of `x` is another one or its dtype is of another kind, and
    MutationError for an array that is `shared`.

    >>> in_place(np.ones(2) + 0.5, np.ones(2, np.float32)).dtype
    dtype('float32')
    >>> in_place(np.ones(2) + 0.5, 1.0)
    array([1.5, 1.5])
    """
    shape = getattr(a, "shape", ())
    if shape == ():
        if type(a) is not np.ndarray:
            return x
        x = np.asarray(x)
    if shared is not None:
        raise MutationError(
            f"{shared}; it is an array here, which this changes as well: write to it by an index, as in "
            "`for i in range(len(a)): a[i] += 1`, or to a copy"
        )
    if x.shape == shape and x.dtype == a.dtype:
        return x
    if not np.can_cast(x.dtype, a.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast the result from {x.dtype!r} to {a.dtype!r} with casting rule 'same_kind', as a "
            "write to an array in place does"
        )
    if x.shape != shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {shape} doesn't match the broadcast shape {x.shape}"
        )
    return x.astype(a.dtype)


@recorded
def unslice(a: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `a` added at `index`: the adjoint of indexing.

    >>> unslice(np.ones(2), index=slice(0, 4, 2), shape=(5,))
    array([1., 0., 1., 0., 0.])
    """
    a = np.asarray(a)
    out = np.zeros(shape, a.dtype)
    if _is_basic(index) or _is_mask(index):
        out[index] = a
    else:
        np.add.at(out, index, a)
    return out


def _is_mask(index: Any) -> bool:
    """True for an array of bools, which names no entry twice."""
    return isinstance(index, np.ndarray) and index.dtype == np.bool_


def _is_basic(index: Any) -> bool:
    """True for an index without arrays."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        part is None or part is Ellipsis or isinstance(part, (int, np.integer, slice)) for part in parts
    )


@recorded
def index_put(a: Any, value: Any, index: Any, repeated: bool = False) -> Any:
    """A copy of `a` in which `value` stands at `index`: what ``a[index] = value`` makes of it.

    repeated   the index may name a place twice, of which the last write stays

    Raises ValueError for an index of positions where `repeated` does not say so.

    >>> index_put(np.zeros(3), 1.0, index=slice(1, None))
    array([0., 1., 1.])
    """
    index = _arrays(index)
    if not repeated and not _is_basic(index):
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(part, np.ndarray) and part.dtype != bool for part in parts):
            raise ValueError("index_put: positions may name a place twice; say repeated=True")
    out = np.array(a)
    out[index] = value
    return out


def last_written(index: Any, shape: tuple[int, ...]) -> Any:
    """For each entry of ``a[index]``, whether no later one has the same place in `a`, which has this shape.

    >>> last_written(np.array([0, 2, 0]), (3,))
    array([False,  True,  True])
    """
    index = _arrays(index)
    places = np.zeros(shape, int)
    entries = np.arange(places[index].size).reshape(places[index].shape)
    places[index] = entries
    return places[index] == entries


def _arrays(index: Any) -> Any:
    """An index with arrays in the place of tensors."""
    if isinstance(index, tuple):
        return tuple(map(_arrays, index))
    return index._array if engine_of(index) is not None else index


def each(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """On lists of equal length, element by element."""

    @wraps(function)
    def elementwise(x: Any, y: Any) -> Any:
        if type(x) is list:
            return [function(one, other) for one, other in zip(x, y, strict=True)]
        return function(x, y)

    return elementwise


@each
@recorded
def accumulate(x: Any, y: Any) -> Any:
    """x + y of two cotangents of one value, equal in shape and dtype; of two lists, of each.

    >>> accumulate([np.ones(2)], [np.ones(2)])
    [array([2., 2.])]
    """
    return np.add(x, y)


@recorded
def refuse_gradient(x: Any, argument: str, why: str) -> Any:
    """Raises NotDifferentiableError: the gradient of an argument that has none, where one is needed.

    x         the cotangent that would have to flow into it
    argument  its name, with the function's
    why       what is missing

    A closure returns it in the place of a gradient; it is no more than that, a variant without this
    gradient does not call it.

    >>> refuse_gradient(1.0, "a of scipy.special.gammainc", "no closed form")
    Traceback (most recent call last):
    pullback.engine.core.errors.NotDifferentiableError: a of scipy.special.gammainc takes no gradient: ...
    """
    raise NotDifferentiableError(f"{argument} takes no gradient: {why}. Pass it without, as by .detach()")


def stop_gradient(x: Any) -> Any:
    """The same values, as a constant to every derivative.

    Parameters
    ----------
    x : array_like
        Of any dtype and shape.

    Returns
    -------
    Tensor or array
        The same values.

    Examples
    --------
    >>> import pullback as pb
    >>> x = pb.tensor([2.0], requires_grad=True)
    >>> pb.grad((x * pb.stop_gradient(x)).sum(), [x])[0].item()
    2.0
    """
    return x if engine_of(x) is None else x.detach()
