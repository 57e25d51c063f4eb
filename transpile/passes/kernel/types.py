"""NumPy's promotion rules on the types of C++: what an operator's result is stored as.

Numbers of Python are weak: they take the array's type. Float64 scalars of
NumPy are strong, and widen. `T` is float32 or float64, not known until the
kernel is called, so `T` and `double` join to `double`. `float` stands in kernels for
arguments of several float types.

>>> join(["T", "weak float"])
'T'
>>> join(["T", "double"])
'double'
>>> join(["bool", "weak int"])
'int64_t'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal as OneOf

from ...ir import Literal

# "T" is the kernel's float type, float32 or float64 according to its inputs.
Dtype = OneOf["T", "float", "double", "int64_t", "bool"]
Type = str  # a Dtype, or "weak int", "weak float", "weak bool"

# The types of dtypes by name.
OF_DTYPES = {"float64": "double", "float32": "float", "bool": "bool", "bool_": "bool", "int64": "int64_t"}
FLOATS = ("T", "float", "double")
_RANK = ["bool", "int64_t", "float", "T", "double"]


def join(types: Iterable[Type]) -> Type:
    """The type that NumPy promotes these to; weak only where all are."""
    seen = list(types)
    strong = [t for t in seen if not t.startswith("weak")]
    weak = [t for t in seen if t.startswith("weak")]
    if not strong:
        order = ["weak bool", "weak int", "weak float"]
        return max(weak, key=order.index)
    result = max(strong, key=_RANK.index)
    if "int64_t" in strong and result in ("T", "float"):
        result = "double"
    if "weak float" in weak and result in ("bool", "int64_t"):
        return "double"
    if "weak int" in weak and result == "bool":
        return "int64_t"
    return result


def floating(kind: Type) -> Type:
    """The type of a result that is never an integer."""
    return {"bool": "double", "int64_t": "double", "weak int": "weak float", "weak bool": "weak float"}.get(
        kind, kind
    )


def of_literal(literal: Literal) -> Type | None:
    """The type of a number, or None for what is none."""
    value = literal.value
    if literal.strong:
        return "double"
    if isinstance(value, bool):
        return "weak bool"
    if isinstance(value, int):
        return "weak int"
    return "weak float" if isinstance(value, float) else None


def stored(kind: Type) -> Dtype:
    """The C++ type of a variable of this type.

    >>> stored("weak float")
    'double'
    """
    names: dict[str, Dtype] = {"weak int": "int64_t", "weak float": "double", "weak bool": "bool"}
    return names.get(kind, kind)  # type: ignore[arg-type]
