"""Results that go into memory which the caller names: ``out=``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..calls.call import arrays, call, function_of, wrapped
from ..core.dispatch import engine_of
from ..core.errors import MutationError
from ..core.registry import FORMULAS
from ..debugging.tape import observe_write
from ..mutation.inplace import permitted, store, unaliased
from ..transforms.forward_ad import differentiated
from .scattered_writes import write_where

# What NumPy adds or multiplies in the dtype of `out`, where no other one is named.
_IN_THE_DTYPE_OF_OUT = (np.sum, np.prod, np.mean, np.cumsum, np.cumprod)


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
        if function in _IN_THE_DTYPE_OF_OUT and "dtype" not in kwargs and len(args) in (1, 2):
            kwargs = {"dtype": np.result_type(given[0], out.dtype), **kwargs}
        result = compute(*unaliased(out, FORMULAS.find(function or name), args), **kwargs)
        if np.shape(result) != out.shape and not (isinstance(function, np.ufunc) or function is np.clip):
            raise ValueError(f"{what} has the shape {out.shape}, and the result {np.shape(result)}")
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
