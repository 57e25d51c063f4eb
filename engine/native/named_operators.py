"""The operator that a name in the table of operators calls."""

from __future__ import annotations

import numpy as np

from ...transpile.operators import OPERATORS
from ..calls.call import function_of
from ..calls.wide import always_wide, whole_signature
from ..core.operator import Operator
from ..core.registry import FORMULAS
from ..formula.formula import Formula


def operator_of(name: str) -> tuple[Operator, tuple[str, ...]] | np.ufunc | None:
    """The operator that stands for a name now, and its attributes that NumPy's function takes by position.

    The universal function itself where it has no derivative; None where a call is more than calling one.

    >>> operator_of("sum")
    (<operator sum>, ('axis',))
    >>> operator_of("greater"), operator_of("sort")
    (<ufunc 'greater'>, None)
    """
    entry = FORMULAS.of_operator(name)
    if OPERATORS[name].derivative == "zero":
        function = function_of(name)
        return function if entry is None and isinstance(function, np.ufunc) and function.nout == 1 else None
    if type(entry) is not Formula or (FORMULAS.of_library(entry) and always_wide(name)):
        return None
    return entry.operator, _positions(name, entry)


def _positions(name: str, entry: Formula) -> tuple[str, ...]:
    """The names of the attributes behind the inputs, up to the first argument that is none."""
    attributes = tuple(param.var.name for param in entry.operator.attributes)
    if not FORMULAS.of_library(entry):
        return attributes
    names = tuple(whole_signature(name).parameters)[len(entry.operator.inputs) :]
    end = next((k for k, given in enumerate(names) if given not in attributes), len(names))
    return names[:end]
