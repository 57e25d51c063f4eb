"""Python's arithmetic of numbers, by Python itself."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ...operators import OF_MATH
from ...operators.plain import MATH_OF_FLOATS, MATH_OF_INTEGERS


class Refused(Exception):
    """A refusal: the arguments are not those that the kernel is for."""


def _refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the runtime that refuses where Python raises, or has no number of C++.

    >>> _refusing(operator.truediv)(None, 1, 4)
    0.25
    >>> _refusing(operator.truediv)(None, 1, 0)
    Traceback (most recent call last):
    ...
    pullback.transpile.loops.interpreter.numbers.Refused: division by zero
    """

    def call(_: None, *args: Any) -> Any:
        try:
            found = function(*(arg.item() if hasattr(arg, "item") else arg for arg in args))
        except (ArithmeticError, ValueError) as error:
            raise Refused(str(error)) from error
        if isinstance(found, complex) or (isinstance(found, int) and not -(2**63) <= found < 2**63):
            raise Refused("no number of C++")
        return found

    return call


_IN_PYTHON: dict[str, Callable[..., Any]] = {
    "quotient": operator.truediv,
    "whole_quotient": operator.floordiv,
    "whole_remainder": operator.mod,
    "integer_sum": operator.add,
    "integer_difference": operator.sub,
    "integer_product": operator.mul,
    "integer_power": operator.pow,
    "integer_of": int,
    **{f"math_{name}": getattr(math, name) for name in (*OF_MATH, *MATH_OF_FLOATS, *MATH_OF_INTEGERS)},
    "float_power": operator.pow,
}
NUMBERS = {name: _refusing(function) for name, function in _IN_PYTHON.items()}
