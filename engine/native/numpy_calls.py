"""The operators behind NumPy's own functions, as the native engine calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..calls.call import call
from ..calls.direct import OperatorFunction
from ..calls.out_argument import place_of_out
from ..core.no_derivative import QUESTION, WRITES, why
from ..core.registry import FORMULAS
from ..numpy.written.table import WRITTEN_WITH_OPERATORS


class Direct(NamedTuple):
    """A callable that stands for a function of NumPy."""

    call: Callable[..., Any]
    most: int  # arguments that may come before `out`
    on_arrays: bool  # takes the arrays under tensors


def direct(function: Any) -> Direct | None:
    """The operator behind a function of NumPy, or the function itself where it asks a question.

    None where its calls are more than that.

    >>> import numpy as np
    >>> direct(np.sum).call, direct(np.sum).most
    (<function pullback.engine.native.numpy_calls.sum>, 3)
    >>> direct(np.ndim).on_arrays, direct(np.trapezoid)
    (True, None)
    """
    if why(function) == QUESTION:
        return Direct(function, 0, on_arrays=True)
    info = FORMULAS.info_of(function)
    if info is None or function in WRITTEN_WITH_OPERATORS or why(function, WRITES) is not None:
        return None
    name = info.name

    def through_python(*args: Any, **kwargs: Any) -> Any:
        return call(name, *args, **kwargs)

    through_python.__name__ = through_python.__qualname__ = name
    return Direct(OperatorFunction(name, through_python), place_of_out(function), on_arrays=False)
