"""Functions of NumPy that are written with operators, and what stands for each on tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ...calls.call import FunctionsByName, composed
from ...calls.out_argument import place_of_out, without_out
from ...core.dispatch import engine_of
from ...core.registry import FORMULAS
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
    return function if found is None else WrittenFunction(found, place_of_out(function))


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
