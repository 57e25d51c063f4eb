"""Operators of one entry as expressions of CUDA C++, beside what they are called in NumPy.

Operands stand in a template's braces, already converted to the type that the operator computes in.
Functions that begin with ``pb_`` are those of `emit.cuda.runtime`.
"""

from __future__ import annotations

_INFIX = {
    "add": "+",
    "accumulate": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "logical_and": "&&",
    "logical_or": "||",
    "logical_xor": "!=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
}

_CALLS = {
    **{name: name for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt")},
    **{name: name for name in ("sin", "cos", "tan", "tanh", "sinh", "cosh", "hypot", "copysign", "fmod")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: name for name in ("floor", "ceil", "trunc", "fmax", "fmin", "erf", "erfc", "erfcx", "erfinv")},
    **{"j0": "j0", "j1": "j1", "y0": "y0", "y1": "y1", "erfcinv": "erfcinv", "ndtr": "normcdf"},
    **{"ndtri": "normcdfinv", "arctan2": "atan2", "round": "rint", "gammaln": "lgamma", "gamma": "tgamma"},
    **{"i0": "cyl_bessel_i0", "i1": "cyl_bessel_i1", "power": "pow"},
    **{name: f"pb_{name}" for name in ("maximum", "minimum", "sign", "abs", "square", "remainder")},
    **{name: f"pb_{name}" for name in ("floor_divide", "logaddexp", "sigmoid", "softplus")},
}
_FLOATS = frozenset(_CALLS) - {"maximum", "minimum", "sign", "abs", "square"}

# Templates by operator.
CUDA: dict[str, str] = {
    **{op: f"{{0}} {symbol} {{1}}" for op, symbol in _INFIX.items()},
    **{op: f"{name}({{0}}, {{1}})" for op, name in _CALLS.items()},
    "negative": "-{0}",
    "positive": "{0}",
    "stop_gradient": "{0}",
    "reciprocal": "1 / {0}",
    "where": "{0} ? {1} : {2}",
    "logical_not": "!{0}",
    "invert": "!{0}",
    "relu": "pb_maximum({0}, 0)",
    "isnan": "isnan({0})",
    "isinf": "isinf({0})",
    "isfinite": "isfinite({0})",
    "signbit": "signbit({0})",
}
_BINARY_CALLS = frozenset(
    {"hypot", "copysign", "fmod", "fmax", "fmin", "arctan2", "power", "maximum", "minimum", "remainder"}
) | {"floor_divide", "logaddexp"}
CUDA |= {op: f"{name}({{0}})" for op, name in _CALLS.items() if op not in _BINARY_CALLS}

COMPARISONS = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})
LOGIC = frozenset({"logical_and", "logical_or", "logical_xor", "logical_not"})
PREDICATES = frozenset({"isnan", "isinf", "isfinite", "signbit"})
OF_BOOLS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "invert"})
OF_FLOATS = _FLOATS | {"reciprocal", "relu"} | PREDICATES

# Operators of one entry that loops have, besides a cast.
SCALAR = frozenset(CUDA)
