"""Functions of NumPy that are written with operators, and what stands for each on tensors."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import cache, wraps
from types import FunctionType
from typing import Any

import numpy as np

from ...calls.call import FunctionsByName, composed
from ...calls.out_argument import place_of_out, without_out
from ...core.dispatch import engine_of
from ...core.registry import FORMULAS
from ...formula.formula import Composite
from ..out import into

# The function that stands for one of NumPy's, on tensors.
WRITTEN_WITH_OPERATORS: dict[Callable[..., Any], Callable[..., Any]] = {}


def stands_for(*targets: Callable[..., Any] | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function of tensors: on arrays alone NumPy's own runs. A target may be None: not there."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        there = [target for target in targets if target is not None]

        @wraps(function)
        def dispatching(*args: Any, **kwargs: Any) -> Any:
            if not there:
                return function(*args, **kwargs)
            engine = engine_of(*args, *kwargs.values())
            if engine is None:
                return there[0](*args, **kwargs)
            out, given, options = without_out(there[0], args, kwargs)
            if out is None:
                return composed(engine, function, given, options)
            return into(out, there[0], function, given, options, f"np.{there[0].__name__}")

        WRITTEN_WITH_OPERATORS.update(dict.fromkeys(there, dispatching))
        return dispatching

    return decorate


def written(function: Any) -> Any:
    """The function that stands for one of NumPy's; the value itself where none does."""
    from ...calls.direct import WrittenFunction  # the native engine has tensors before it has functions

    found = WRITTEN_WITH_OPERATORS.get(function) if callable(function) else None
    if found is None:
        return function
    return WrittenFunction(
        function, undispatched(inspect.unwrap(found)), place_of_out(function), found, written
    )


def direct(function: Any) -> Any:
    """The function that comes to the operators of one of NumPy's on tensors without NumPy's dispatch.

    The value itself where nothing does.

    >>> direct(np.rot90).__name__, direct(np.linalg.norm).op, direct(np.isscalar) is np.isscalar
    ('rot90', 'norm', True)
    """
    from ...calls.direct import OperatorFunction, WrittenFunction  # as above

    found = written(function)
    if found is not function or not isinstance(function, type(np.sum)):
        return found
    info = FORMULAS.info_of(function)
    if info is not None:
        made = OperatorFunction(info.name, function)
        made.__module__ = f"pullback.{function.__module__}"  # where it is found by name
        return made
    composite = of_composite(function)
    return function if composite is None else WrittenFunction(function, *composite, function, direct)


def of_composite(function: Callable[..., Any]) -> tuple[Callable[..., Any], int] | None:
    """A composite's function for one of NumPy's, and how many arguments it takes by position."""
    entry = FORMULAS.find(function)
    if not isinstance(entry, Composite) or not entry.plain_arguments:
        return None
    plain = entry.__wrapped__
    most = min(entry.plain_arguments, place_of_out(function))
    return (undispatched(plain) if FORMULAS.of_library(entry) else plain), most


class _WithoutDispatch:
    """NumPy's names, with `direct` functions; universal functions, which have methods, are NumPy's."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        found = found if isinstance(found, np.ufunc) else direct(found)
        setattr(self, name, found)  # found without this method from now on
        return found


_NUMPY = _WithoutDispatch()


def undispatched(function: Any) -> Callable[..., Any]:
    """The function with another `np`, whose functions skip NumPy's dispatch, as in helpers of its module."""
    found: Callable[..., Any] = function
    if function.__globals__ is vars(sys.modules[function.__module__]):
        found = _copied(function, _undispatched_names(function.__module__))
    return found


@cache
def _undispatched_names(module: str) -> dict[str, Any]:
    given = vars(sys.modules[module])
    names = {key: _NUMPY if value is np else value for key, value in given.items()}
    for key, value in given.items():
        if isinstance(value, FunctionType) and value.__globals__ is given:
            names[key] = _copied(value, names)
    return names


def _copied(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    copy = FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    return copy


def _formula_function(name: str) -> Callable[..., Any]:
    from ...calls.direct import OperatorFunction  # as above

    def general(*args: Any, **kwargs: Any) -> Any:
        FORMULAS.load_library()
        entry = FORMULAS.operator(name)
        assert entry is not None, name
        return entry(*args, **kwargs)

    general.__name__ = general.__qualname__ = name
    return OperatorFunction(name, general, whole=False)


# Formulas of the library: ``formulas.norm(x, ord=3)``.
formulas = FunctionsByName(_formula_function)
