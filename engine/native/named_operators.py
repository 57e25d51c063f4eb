"""The operator that a name in the table of operators calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...transpile.operators import OPERATORS
from ..calls.call import function_of
from ..calls.wide import always_wide, whole_signature, widened
from ..core.operator import Operator
from ..core.registry import FORMULAS
from ..formula.formula import Formula

# Operators without a derivative whose loop is slow in NumPy, and the formulas that call kernels.
_OF_FLOATS = {"floor_divide": "floored_quotient"}


def operator_of(name: str, whole: bool = True) -> tuple[Any, ...] | Callable[..., Any] | None:
    """The operator that stands for a name now, and its attributes that are taken by position.

    With `whole` as NumPy's function takes them: the universal function itself where it has no derivative,
    behind an operator that takes floats in its place where that is faster; a function of operators where
    none of them is all of it; None where a call is more than calling one. Else as the formula takes them.

    >>> operator_of("sum")
    (<operator sum>, ('axis',))
    >>> operator_of("greater"), operator_of("sort").__name__, operator_of("sort", whole=False)
    (<ufunc 'greater'>, 'sort', (<operator sort>, ('axis',)))
    """
    if not whole:
        FORMULAS.load_library()
        formula = FORMULAS.operator(name)
        return _with_positions(formula.operator) if type(formula) is Formula else None
    entry = FORMULAS.of_operator(name)
    if OPERATORS[name].derivative == "zero":
        function = function_of(name)
        if entry is not None or not isinstance(function, np.ufunc) or function.nout != 1:
            return None
        if name not in _OF_FLOATS:
            return function
        of_floats = FORMULAS.operator(_OF_FLOATS[name])
        assert of_floats is not None, name
        return of_floats.operator, (), function
    if FORMULAS.of_library(entry) and always_wide(name):
        return widened(name, 0, frozenset())
    if type(entry) is not Formula:
        return None
    operator, attributes = _with_positions(entry.operator)
    if not FORMULAS.of_library(entry):
        return operator, attributes
    names = tuple(whole_signature(name).parameters)[len(operator.inputs) :]
    # Up to the first argument that is no attribute.
    end = next((k for k, given in enumerate(names) if given not in attributes), len(names))
    return operator, names[:end]


def _with_positions(operator: Operator) -> tuple[Operator, tuple[str, ...]]:
    return operator, tuple(param.var.name for param in operator.attributes)
