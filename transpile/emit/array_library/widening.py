"""Operands that NumPy takes in double precision, and another library does not.

NumPy promotes floats beside its own float64 numbers and beside integers; PyTorch keeps their dtype.
"""

from __future__ import annotations

from ...analysis.types import Types, type_of
from ...ir import Eqn, Var
from ...ir.dtypes import CONCRETE, Dtype, Promoted, Widened
from ...ir.types import ScalarType, TensorType
from ...operators import OperatorInfo

_DOUBLE = frozenset({"float64", "complex128"})
_OF_BITS = frozenset({"&", "|", "^", "<<", ">>"})
# What of two integers is one.
OF_INTEGERS = frozenset(
    {"add", "subtract", "multiply", "floor_divide", "remainder", "clip", "maximum", "minimum"}
)
# What to write where a function of floats is one of masks or of whole numbers.
CONVERTED = "its operand as `.astype(float)`"


def of_no_floats(eqn: Eqn, info: OperatorInfo, types: Types) -> str:
    """The operands for which NumPy alone has the function: masks, in half precision, or whole numbers."""
    of = {
        dtype_of(type_of(atom, types)) for atom in eqn.args if isinstance(atom, Var) and atom.kind == "tensor"
    }
    if not info.pointwise or not of or not of <= {"bool", "int64"}:
        return ""
    if "bool" in of and (
        dtype_of(type_of(eqn.outs[0], types)) == "float16" or info.python.startswith("scipy.")
    ):
        return f"{info.python} of a mask"
    return f"{info.python} of whole numbers" if eqn.op == "reciprocal" else ""


def widened_operands(eqn: Eqn, info: OperatorInfo, types: Types) -> list[int]:
    """Operands that NumPy takes in double precision, because another one is double, or an integer."""
    if info.kind not in ("pointwise", "product") or eqn.op in ("astype", "stop_gradient", "accumulate"):
        return []
    result = dtype_of(type_of(eqn.outs[0], types))
    if info.infix in _OF_BITS or info.dtype == "bool" or (result in CONCRETE and result not in _DOUBLE):
        return []
    found = [type_of(atom, types) for atom in eqn.args]
    read = range(1 if eqn.op == "where" else 0, len(found))
    strong = any(isinstance(of, ScalarType) and of.dtype == "float64" for of in found)
    if not (strong or result in _DOUBLE or any(_is_wide(dtype_of(found[k])) for k in read)):
        return []
    return [k for k in read if isinstance(found[k], TensorType) and dtype_of(found[k]) not in _DOUBLE]


def dtype_of(found: object) -> Dtype | None:
    """The dtype of a tensor's type; None of another one."""
    return found.dtype if isinstance(found, TensorType) else None


def _is_wide(dtype: Dtype | None) -> bool:
    """True where it is known that NumPy promotes floats beside it to double precision."""
    if isinstance(dtype, Promoted):
        return any(map(_is_wide, dtype.parts))
    if isinstance(dtype, Widened):
        return _is_wide(dtype.of)
    return dtype in _DOUBLE or dtype in ("int32", "int64", "uint32", "uint64")
