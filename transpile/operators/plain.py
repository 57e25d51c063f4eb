"""Functions of Python's own numbers, texts and tuples.

Of attributes and sizes they are computed as Python computes them: where these are known by the transpiler,
and else by the Python that it emits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

# Functions of `math` of numbers that only the run knows, which kernels compute: how many operands they take.
MATH_OF_FLOATS = {
    **dict.fromkeys(("asinh", "acosh", "atanh", "cbrt", "exp2", "gamma", "lgamma"), 1),
    **{"atan2": 2, "hypot": 2},
}
MATH_OF_INTEGERS = {"factorial": 1, "comb": 2, "perm": 2, "gcd": 2, "lcm": 2, "isqrt": 1}

PLAIN_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (abs, all, any, max, min, pow, round, sorted, str, sum)
} | {f"math.{name}": value for name, value in vars(math).items() if callable(value) and name[0] != "_"}
