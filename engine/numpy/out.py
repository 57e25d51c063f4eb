"""Results that go into memory which the caller names: ``out=``, and functions that write an argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..calls.call import arrays, call, function_of, operators, wrapped
from ..calls.indexing import owned
from ..core.dispatch import engine_of
from ..core.errors import MutationError
from ..core.registry import FORMULAS
from ..debugging.tape import observe_write
from ..mutation.inplace import fitted, permitted, setitem, store, unaliased
from ..transforms.forward_ad import differentiated
from .scattered_writes import place, put, put_along_axis, putmask, spread, write_where


def call_into(out: Any, op: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`call(op, ...)` with its result in `out`, a tensor or an array; returns it."""
    return into(out, function_of(op), partial(call, op), args, kwargs, op)


def into(
    out: Any,
    function: Callable[..., Any] | None,
    compute: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    name: str,
) -> Any:
    """Put the result of a function into `out`; returns `out`.

    function  NumPy's, which takes out= itself; None for one of our own
    compute   the same on tensors, recorded; gets `args` and `kwargs`

    Raises MutationError where a gradient would be lost.
    """
    what = f"out= of {name}"
    engine_of(out, *args, *kwargs.values())
    given = [arrays(value) for value in args]
    options = {key: arrays(value) for key, value in kwargs.items()}
    if engine_of(out) is None:
        if differentiated((*args, *kwargs.values())):
            raise MutationError(
                f"{what}: an array has no gradient, and the result of what requires grad would lose it; give "
                f"a tensor as out, or write x = {name}(...)"
            )
        return function(*given, out=out, **options) if function else _assigned(out, compute(*given, **kwargs))
    if permitted(out, (*args, *kwargs.values()), what):
        if isinstance(function, np.ufunc) and "where" in kwargs:
            others = {key: value for key, value in kwargs.items() if key != "where"}
            return write_where(out, kwargs["where"], compute, args, others, what)
        result = compute(*unaliased(out, FORMULAS.find(function or name), args), **kwargs)
        engine = engine_of(out)
        assert engine is not None
        return store(out, result if engine_of(result) else wrapped(engine, np.asarray(result)), what)
    if function is None:
        _assigned(out._array, compute(*given, **options))
    else:
        function(*given, out=out._array, **options)
    out._bump_version(what)
    observe_write(out)
    return out


def _assigned(out: Any, result: Any) -> Any:
    np.copyto(out, result)
    return out


# Functions that write their first argument, on tensors.


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """As `np.copyto`, recorded."""
    if engine_of(dst) is None:
        into(dst, _copy_into(casting, where), call, (src,), {}, "np.copyto")
        return
    dtype = getattr(src, "dtype", None)
    if dtype is not None and not np.can_cast(dtype, dst.dtype, casting):
        raise TypeError(f"np.copyto: values of dtype {dtype} do not go into {dst.dtype} by {casting!r}")
    if where is True:
        setitem(dst, Ellipsis, src)
        return
    mask = np.broadcast_to(arrays(where), dst.shape)
    setitem(dst, mask, spread(src, dst.shape)[mask])


def _copy_into(casting: Any, where: Any) -> Callable[..., Any]:
    def copy(src: Any, out: Any) -> Any:
        np.copyto(out, src, casting=casting, where=arrays(where))
        return out

    return copy


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """As `np.fill_diagonal`; recorded for matrices whose diagonal `val` is, or one value."""
    if engine_of(a) is not None and a.ndim == 2 and not wrap and np.ndim(arrays(val)) <= 1:
        diagonal = operators.diagonal(a)
        if np.shape(arrays(val)) in ((), diagonal.shape):
            setitem(diagonal, Ellipsis, val)
            return
    write_unrecorded(np.fill_diagonal, (a, val), {"wrap": wrap})


def add_at(ufunc: np.ufunc, a: Any, indices: Any, b: Any) -> None:
    """``np.add.at(a, indices, b)`` and that of `subtract`, recorded: what an entry collects is summed."""
    what = f"np.{ufunc.__name__}.at"
    if engine_of(a) is None or not permitted(a, (b,), what):
        write_unrecorded(ufunc.at, (a, indices, b), {})
        return
    indices = owned(indices)
    shape = np.shape(a._array[indices])
    b = fitted(b, shape, a.dtype) if engine_of(b) is not None else np.broadcast_to(b, shape).astype(a.dtype)
    spread = operators.unslice(b, index=indices, shape=a.shape)
    store(a, call(ufunc.__name__, a, spread), what)


def write_unrecorded(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Run a function that writes its first argument, where nothing is to be recorded."""
    target, *others = args
    name = f"np.{getattr(function, '__qualname__', function.__name__)}"
    recorded = differentiated((*others, *kwargs.values()))
    if engine_of(target) is not None:
        recorded = permitted(target, others, name)
    if recorded:
        raise MutationError(f"{name} is not recorded, and the gradient would be lost; write x[index] = value")
    function(*map(arrays, args), **{key: arrays(value) for key, value in kwargs.items()})
    if engine_of(target) is not None:
        target._bump_version(name)
        observe_write(target)


def _scattered(function: Callable[..., None], recorded: Callable[..., None]) -> Callable[..., None]:
    """One of NumPy's functions that write picked entries, recorded where the target is a tensor."""

    def run(*args: Any, **kwargs: Any) -> None:
        if engine_of((*args, *kwargs.values())[0]) is None:
            write_unrecorded(function, args, kwargs)
        else:
            recorded(*args, **kwargs)

    return run


_RECORDED: dict[Any, Callable[..., None]] = {
    np.copyto: copyto,
    np.fill_diagonal: fill_diagonal,
    np.put: _scattered(np.put, put),
    np.place: _scattered(np.place, place),
    np.putmask: _scattered(np.putmask, putmask),
    np.put_along_axis: _scattered(np.put_along_axis, put_along_axis),
}


def write(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """One of NumPy's functions that write their first argument, with tensors among its arguments."""
    if function in _RECORDED:
        _RECORDED[function](*args, **kwargs)
    else:
        write_unrecorded(function, args, kwargs)
