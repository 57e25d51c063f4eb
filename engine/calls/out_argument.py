"""The argument of NumPy's functions that names the array for the result: `out`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ..core.errors import MutationError


def without_out(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, Sequence[Any], Mapping[str, Any]]:
    """The `out` of a call, by position or by keyword, and the arguments without it; None where there is none.

    >>> import numpy as np
    >>> without_out(np.take, ("x", "indices", 0, "array", "clip"), {})
    ('array', ('x', 'indices', 0), {'mode': 'clip'})
    >>> without_out(np.sum, ("x",), {"out": "array", "axis": 0})
    ('array', ('x',), {'axis': 0})
    """
    if "out" in kwargs:
        return kwargs["out"], args, {key: value for key, value in kwargs.items() if key != "out"}
    place = place_of_out(function) if len(args) > 1 else len(args)
    if len(args) <= place:
        return None, args, kwargs
    behind = zip(_positions(function)[place + 1 :], args[place + 1 :], strict=False)
    return args[place], args[:place], {**dict(behind), **kwargs}


def place_of_out(function: Callable[..., Any]) -> int:
    """The number of arguments by position before `out`; of a function that has none there, more than any has.

    >>> import numpy as np
    >>> place_of_out(np.sum)
    3
    """
    names = _positions(function)
    return names.index("out") if "out" in names else sys.maxsize


@cache
def _positions(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of what a function takes by position; none where it doesn't say, as some in C."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(parameter.name for parameter in parameters if parameter.kind in by_position)


def refuse_out(name: str, out: Any) -> None:
    """MutationError where a result is to go into an array, and nobody would count that write."""
    if out is not None:
        raise MutationError(
            f"out= goes by keyword into the function, np.{name}(..., out=...), not into a method; or write "
            f"x = np.{name}(...)"
        )
