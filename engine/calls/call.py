"""Calls of operators by name, which operators' signs, methods and `pullback.numpy` come down to."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ...transpile.operators import OPERATORS
from ..core.dispatch import Engine, engine_of
from ..core.errors import NotDifferentiableError
from ..core.registry import FORMULAS
from ..debugging.tape import observe_unrecorded
from .out_argument import refuse_out, without_out
from .wide import widened


@cache
def function_of(name: str) -> Callable[..., Any] | None:
    """The NumPy or SciPy function behind an operator; None for one of our own."""
    module, _, attribute = OPERATORS[name].python.rpartition(".")
    if module.partition(".")[0] == "pullback":
        return None
    found: Callable[..., Any] | None = getattr(importlib.import_module(module), attribute, None)
    return found


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call the operator `name` on tensors or arrays.

    Arrays only: the NumPy function itself. Tensors: its formula, recorded; or,
    where its derivative is zero, the function on the arrays, with tensors that
    don't require grad as result.
    """
    return operator_function(name)(*args, **kwargs)


@cache
def operator_function(name: str) -> Callable[..., Any]:
    """The function of an operator, by which the native engine is called without Python in between."""
    from .direct import OperatorFunction  # the native engine has tensors before it has functions

    general: Any = partial(call_generally, name)
    general.__name__ = general.__qualname__ = name
    general.__module__ = __name__
    general.__doc__ = None
    return OperatorFunction(name, general)


class FunctionsByName:
    """Functions as attributes, made when first asked for: ``operators.sum(x, axis=-1)``."""

    def __init__(self, make: Callable[[str], Callable[..., Any]]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = self._make(name)
        setattr(self, name, function)  # found without this method from now on
        return function


# Those of operators: a call costs no Python in between, as one of `call` does.
operators = FunctionsByName(operator_function)


def call_generally(name: str, *args: Any, **kwargs: Any) -> Any:
    """`call` of any arguments, by Python."""
    engine = engine_of(*args, *kwargs.values())
    function = function_of(name)
    if engine is None and function is not None:
        return function(*args, **kwargs)
    entry = FORMULAS.of_operator(name)
    if name not in FORMULAS.overridden:
        wide = widened(name, len(args), frozenset(kwargs))
        if wide is not None:
            return composed(engine, wide, args, kwargs)
    if entry is not None:
        return entry(*args, **kwargs) if engine is None else entry.call_on(engine, args, kwargs)
    if engine is not None and function is not None and OPERATORS[name].derivative == "zero":
        if name == "sign" and engine_of(args[0]) is not None and args[0].dtype.kind == "c":
            return complex_sign(*args, **kwargs)
        return unrecorded(engine, function, args, kwargs)
    raise NotDifferentiableError(f"{OPERATORS[name].python} has no formula")


def complex_sign(x: Any, /) -> Any:
    """As `np.sign` of complex numbers: ``x / |x|``, which is not constant, and 0 at 0."""
    size = np.abs(x)
    return x / np.where(size == 0, 1, size)


def composed(
    engine: Engine | None, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Call a function that is written with operators; an engine may have its own way for those that fail."""
    of_its_own = getattr(engine, "composed", None)
    return function(*args, **kwargs) if of_its_own is None else of_its_own(function, args, kwargs)


def unrecorded(
    engine: Engine, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Run a function on the arrays under tensors; arrays that come out become tensors without grad."""
    of_its_own = getattr(engine, "unrecorded", None)
    if of_its_own is not None:
        return of_its_own(function, args, kwargs)
    out, args, kwargs = without_out(function, args, kwargs)
    refuse_out(function.__name__, out)
    given = list(map(arrays, args))
    result = function(*given, **{key: arrays(value) for key, value in kwargs.items()})
    tensors = wrapped(engine, _apart(result, given))
    observe_unrecorded(function, args, kwargs, tensors)
    return tensors


def _apart(result: Any, given: Sequence[Any]) -> Any:
    """The result in memory of its own: writes into what is no recorded view would not be counted."""
    if type(result) in (list, tuple):
        return type(result)(_apart(item, given) for item in result)
    if isinstance(result, np.ndarray) and any(
        isinstance(value, np.ndarray) and np.may_share_memory(result, value) for value in given
    ):
        return result.copy()
    return result


def arrays(value: Any) -> Any:
    """The value with arrays in the place of tensors, lists and tuples entered."""
    if type(value) in (list, tuple):
        return type(value)(map(arrays, value))
    return value._array if engine_of(value) is not None else value


def wrapped(engine: Engine, value: Any) -> Any:
    """The value with tensors in the place of arrays; lists, tuples and named tuples entered."""
    if type(value) in (list, tuple):
        return type(value)(wrapped(engine, item) for item in value)
    if isinstance(value, tuple):
        return type(value)(*(wrapped(engine, item) for item in value))
    if isinstance(value, (np.ndarray, np.generic)):
        return engine.from_numpy(np.asarray(value))
    return value
