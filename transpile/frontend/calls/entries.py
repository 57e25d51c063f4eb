"""Python's functions of numbers, of an entry of an array: ``math.sin(x[0])``, ``float(x[i])``.

In NumPy they take an array of no axes for its number. Here they are NumPy's functions of it: the
derivative flows, the number has the precision of the array, and what raises an error in `math` is NaN or
infinite.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir import Var
from ...operators import OPERATORS
from ..expressions.templates import read_template
from ..state.aliases import is_number
from ..state.values import Dotted, Frame, Value, is_tensor
from .arguments import Arguments

_SAME = ("sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "expm1", "log2", "log10", "log1p")
_OTHERS = {
    "asin": "numpy.arcsin",
    "acos": "numpy.arccos",
    "atan": "numpy.arctan",
    "asinh": "numpy.arcsinh",
    "acosh": "numpy.arccosh",
    "atanh": "numpy.arctanh",
    "atan2": "numpy.arctan2",
    "cbrt": "numpy.cbrt",
    "copysign": "numpy.copysign",
    "degrees": "numpy.degrees",
    "erf": "scipy.special.erf",
    "erfc": "scipy.special.erfc",
    "exp2": "numpy.exp2",
    "fabs": "numpy.abs",
    "fmod": "numpy.fmod",
    "gamma": "scipy.special.gamma",
    "hypot": "numpy.hypot",
    "isfinite": "numpy.isfinite",
    "isinf": "numpy.isinf",
    "isnan": "numpy.isnan",
    "lgamma": "scipy.special.gammaln",
    "radians": "numpy.radians",
}
FULL_NAMES = {f"math.{name}": full for name, full in ({n: f"numpy.{n}" for n in _SAME} | _OTHERS).items()}
_COUNTS = {"atan2": 2, "copysign": 2, "fmod": 2, "hypot": 2}
_WRITTEN = {
    ("float", 1): "found = a * 1.0",
    ("math.log", 2): "found = log(a) / log(b)",
    ("math.pow", 2): "found = (a * 1.0) ** b",
}
_NO_AXES = (
    "if x.ndim != 0:\n"
    "    raise TypeError('only 0-dimensional arrays can be converted to Python scalars')\n"
    "found = x"
)


def read_of_entries(
    frame: Frame, callee: Dotted, given: Arguments, call: Callable[[Dotted, Arguments], Value]
) -> Value | None:
    """The value of such a call, by the reader of a call of NumPy's; None for a call of numbers alone."""
    count, full_name = len(given.positional), FULL_NAMES.get(callee.name)
    written = _WRITTEN.get((callee.name, count))
    known = written or (full_name and count == _COUNTS.get(callee.name.removeprefix("math."), 1))
    if not known or given.keywords or not any(map(is_tensor, given.positional)):
        return None
    values = [_number(frame, value, given) if is_tensor(value) else value for value in given.positional]
    if written is not None:
        return read_template(frame, written, dict(zip("ab", values, strict=False)), given.node)
    assert full_name is not None
    return call(Dotted(full_name, callee.text), Arguments(given.node, values, {}))


def _number(frame: Frame, value: Value, given: Arguments) -> Value:
    """The number that an array of no axes holds, true and false as floats."""
    if not isinstance(value, Var) or not is_number(frame.build, value, surely=True):
        value = read_template(frame, _NO_AXES, {"x": value}, given.node)
    made = frame.build.made.get(value) if isinstance(value, Var) else None
    of_bool = made is not None and made.op in OPERATORS and OPERATORS[made.op].dtype == "bool"
    return read_template(frame, "found = x * 1.0", {"x": value}, given.node) if of_bool else value
