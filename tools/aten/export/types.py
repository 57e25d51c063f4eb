"""The types of C++ that the table's expressions have, as its schemas spell them."""

from __future__ import annotations

TENSOR = "Tensor"
TENSORS = "Tensor[]"
PERHAPS = "Tensor, undefined where there is none"
TUPLE = "tuple"
NUMBER = "number"
SCALAR = "Scalar"
CONJUGATE = "conjugate Scalar"
INT = "int"
SYMINT = "SymInt"
SIZES = "SymInt[]"
INTS = "int[]"
BOOL = "bool"
STRING = "str"
NONE = "None"
OTHER = "other"


def is_tensor(type: str) -> bool:
    """True for a tensor, one that may be undefined among them."""
    return type in (TENSOR, "Tensor?", PERHAPS)


def is_symbolic(type: str) -> bool:
    """True for a size that PyTorch traces as a symbol, and a list of them."""
    return type.startswith(SYMINT)


def element_of(type: str) -> str:
    """The type of an element of a list: "Tensor" of "Tensor?[]", "SymInt" of "SymInt[2]"."""
    if type == TUPLE:
        return TENSOR
    return type.partition("[")[0].rstrip("?") or OTHER
