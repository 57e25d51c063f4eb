"""Functions that write their first argument, as `np.put` and ``np.add.at``; and ``out=`` with ``where=``.

Each is a recorded ``x[index] = values``, so it is right to every order where that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Literal, ParamSpec

import numpy as np

from ..calls.call import arrays, call, operators
from ..calls.indexing import owned
from ..core.dispatch import engine_of
from ..core.errors import MutationError
from ..debugging.tape import observe_write
from ..mutation.inplace import fitted, permitted, refuse_cast, setitem, store
from ..transforms.forward_ad import differentiated

P = ParamSpec("P")
WRITING: dict[Any, Callable[..., None]] = {}


def _writing(function: Callable[..., Any]) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Let this stand for one of NumPy's functions that write their first argument, where that is a tensor."""

    def decorate(recorded: Callable[P, None]) -> Callable[P, None]:
        @wraps(recorded)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            if engine_of((*args, *kwargs.values())[0]) is None:
                _write_array(function, args, kwargs, f"np.{function.__name__}")
            else:
                recorded(*args, **kwargs)

        WRITING[function] = run
        return run

    return decorate


def _write_array(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], name: str
) -> None:
    """Run a function that writes an array. Raises MutationError where a gradient would be lost."""
    if differentiated((*args, *kwargs.values())):
        raise MutationError(
            f"{name} writes to an array here, which has no gradient, and that of what is written would be "
            "lost; write to a tensor: x = pullback.numpy.zeros(3), or x = pullback.tensor(x), before"
        )
    function(*map(arrays, args), **{key: arrays(value) for key, value in kwargs.items()})


@_writing(np.copyto)
def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """As `np.copyto`, recorded."""
    dtype = getattr(src, "dtype", None)
    if dtype is not None and not np.can_cast(dtype, dst.dtype, casting):
        raise TypeError(f"np.copyto: values of dtype {dtype} do not go into {dst.dtype} by {casting!r}")
    if where is True:
        setitem(dst, Ellipsis, src)
        return
    mask = np.broadcast_to(arrays(where), dst.shape)
    setitem(dst, mask, spread(src, dst.shape)[mask])


@_writing(np.put)
def put(a: Any, ind: Any, v: Any, mode: Literal["raise", "wrap", "clip"] = "raise") -> None:
    """As `np.put`, recorded: the entry ``ind[k]`` of the flattened tensor becomes ``v[k]``, `v` repeated."""
    places = np.take(np.arange(a.size), np.ravel(arrays(ind)), mode=mode)
    _write_places(a, places, v, np.arange(places.size), "np.put")


@_writing(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """As `np.place`, recorded: the k-th entry that the mask picks becomes ``vals[k]``, `vals` repeated."""
    places = np.flatnonzero(_mask_of(arr, mask, "np.place"))
    if places.size and not np.size(arrays(vals)):
        raise ValueError("np.place: vals is empty, and there are entries to write")
    _write_places(arr, places, vals, np.arange(places.size), "np.place")


@_writing(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> None:
    """As `np.putmask`, recorded: an entry ``k`` that the mask picks becomes ``values[k]``, repeated."""
    places = np.flatnonzero(_mask_of(a, mask, "np.putmask"))
    _write_places(a, places, values, places, "np.putmask")


@_writing(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """As `np.fill_diagonal`, recorded: the k-th entry of the diagonal becomes ``val[k]``, `val` repeated."""
    marked = np.zeros(a.shape, bool)
    np.fill_diagonal(marked, True, wrap)
    places = np.flatnonzero(marked)
    _write_places(a, places, val, np.arange(places.size), "np.fill_diagonal")


@_writing(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """As `np.put_along_axis`, recorded."""
    indices = np.asarray(arrays(indices))
    if axis is None:
        setitem(arr, np.unravel_index(indices, arr.shape), values, what="np.put_along_axis")
        return
    if indices.ndim != np.ndim(arr):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    index = list(np.ogrid[tuple(map(slice, indices.shape))])
    index[axis] = indices
    setitem(arr, tuple(index), values, what="np.put_along_axis")


def add_at(ufunc: np.ufunc, a: Any, indices: Any, b: Any) -> None:
    """``np.add.at(a, indices, b)`` and that of `subtract`, recorded: what an entry collects is summed."""
    what = f"np.{ufunc.__name__}.at"
    if engine_of(a) is None or not permitted(a, (b,), what):
        ufunc_at(ufunc, a, indices, b)
        return
    indices = owned(indices)
    shape = np.shape(a._array[indices])
    b = fitted(b, shape, a.dtype) if engine_of(b) is not None else np.broadcast_to(b, shape).astype(a.dtype)
    spread = operators.unslice(b, index=indices, shape=a.shape)
    store(a, call(ufunc.__name__, a, spread), what)


def ufunc_at(ufunc: np.ufunc, a: Any, indices: Any, *others: Any) -> None:
    """``np.multiply.at(a, indices, b)`` and that of any other ufunc, where nothing is to be recorded."""
    name, given = f"np.{ufunc.__name__}.at", (a, indices, *others)
    if engine_of(a) is None:
        _write_array(ufunc.at, given, {}, name)
        return
    if permitted(a, others, name):
        pairs = "i, v in zip(indices, values)" if others else "i in indices"
        entry = f"np.{ufunc.__name__}({', '.join(['x[i]', *['v'] * len(others)])})"
        raise MutationError(
            f"{name} is not recorded, and the gradient would be lost; write one entry after the other: "
            f"for {pairs}: x[i] = {entry}"
        )
    ufunc.at(*map(arrays, given))
    a._bump_version(name)
    observe_write(a)


def write_where(
    out: Any,
    mask: Any,
    compute: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    what: str,
) -> Any:
    """The entries of `out` that a mask picks become those of an elementwise function; returns `out`.

    The function sees these entries of its operands only: what it would do at the others is neither a
    warning nor a NaN in a gradient.
    """
    mask = np.broadcast_to(arrays(mask), out.shape)
    result = compute(*(spread(value, out.shape)[mask] for value in args), **kwargs)
    refuse_cast(result.dtype, out, what)
    setitem(out, mask, result, what=what)
    return out


def _mask_of(a: Any, mask: Any, name: str) -> Any:
    mask = np.asarray(arrays(mask), bool)
    if mask.size != a.size:
        raise ValueError(f"{name}: the mask has {mask.size} entries, and the tensor {a.size}")
    return mask


def _write_places(a: Any, places: Any, values: Any, which: Any, what: str) -> None:
    """Entries of the flattened tensor become these of the flattened values, which repeat."""
    flat = values.reshape(-1) if engine_of(values) is not None else np.ravel(values)
    if not flat.size or not places.size:
        return
    setitem(a, np.unravel_index(places, a.shape), flat[which % flat.size], what=what)


def spread(value: Any, shape: tuple[int, ...]) -> Any:
    """An array or a tensor, broadcast to a shape; recorded."""
    if engine_of(value) is None:
        return np.broadcast_to(value, shape)
    return fitted(value, shape, value.dtype)
