"""The operators behind NumPy's own functions, as the native engine calls them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..calls.call import operator_function
from ..calls.out_argument import place_of_out
from ..core.no_derivative import QUESTION, WRITES, why
from ..core.registry import FORMULAS
from ..numpy.written.table import WRITTEN_WITH_OPERATORS, of_composite, undispatched

# What an array answers itself, where NumPy's function would ask what its argument is.
_ATTRIBUTES: dict[Any, Callable[..., Any]] = {np.ndim: attrgetter("ndim"), np.shape: attrgetter("shape")}


class Direct(NamedTuple):
    """A callable that stands for a function of NumPy."""

    call: Callable[..., Any]
    most: int  # arguments that may come before `out`
    on_arrays: bool = False  # takes the arrays under tensors
    is_operator: bool = False  # takes arguments of all kinds; else tensors and NumPy's arrays


def direct(function: Any) -> Direct | None:
    """The callable for tensors behind a function of NumPy; where it asks a question, one for arrays.

    None where its calls are more than that.

    >>> import numpy as np
    >>> direct(np.sum).call, direct(np.sum).most
    (<function pullback.engine.calls.call.sum>, 3)
    >>> direct(np.ndim).call, direct(np.iscomplexobj).on_arrays, direct(np.rot90).call.__name__
    (operator.attrgetter('ndim'), True, 'rot90')
    >>> direct(np.copyto) is None
    True
    """
    if why(function) == QUESTION:
        return Direct(_ATTRIBUTES.get(function, function), 0, on_arrays=True)
    if why(function, WRITES) is not None:
        return None
    entry, info, most = FORMULAS.find(function), FORMULAS.info_of(function), place_of_out(function)
    written = WRITTEN_WITH_OPERATORS.get(function)
    if written is not None and (entry is None or FORMULAS.of_library(entry)):
        return Direct(undispatched(inspect.unwrap(written)), most)
    if info is not None:
        return Direct(operator_function(info.name), most, is_operator=True)
    if (composite := of_composite(function)) is not None:
        return Direct(*composite)
    return None if entry is None else Direct(entry, most)
