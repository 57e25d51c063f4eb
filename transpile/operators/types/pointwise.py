"""Types of operators of one entry at a time: broadcasting, and NumPy's promotion."""

from __future__ import annotations

from ...ir.dtypes import Dtype, Widening, widen
from ...ir.types import ScalarType, ShapeType, TensorType, Type, join_shapes
from .call import Call, Rule, joined_dtype

# What becomes of a bool, or of a whole number, where it is not what operands promote to.
_KEEP = frozenset({"add", "multiply", "maximum", "minimum", "fmax", "fmin", "accumulate", "where"})
_KEEP |= {"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "stop_gradient"}
_ARITHMETIC = frozenset({"power", "square", "floor_divide", "remainder", "fmod", "reciprocal"})
_ARITHMETIC |= {"left_shift", "right_shift"}
_DIVIDE = frozenset({"divide", "sinc"})


def _widening(op: str, special: bool, floats: bool) -> Widening | None:
    if op in _KEEP:
        return None
    if op in _ARITHMETIC:
        return "arithmetic"
    if op in _DIVIDE:
        return "divide"
    if special:
        return "special"
    if op == "abs":
        return "real"
    return "float" if floats else "number"


def pointwise(dtype: str, special: bool) -> Rule:
    """The rule of an operator whose table entry says this of its dtype, from SciPy where it is `special`."""

    def rule(call: Call) -> Type:
        given = tuple(found for found in call.operands if found is not None)
        if call.op == "clip":
            given = tuple(found for found in given if found != ScalarType("none"))
        if not given:
            return call.unknown()
        known = all(_is_operand(found) for found in given)
        shape = join_shapes([f.shape for f in given if isinstance(f, TensorType)]) if known else None
        if dtype == "bool":
            return call.tensor(shape, "bool")
        if dtype == "attr":
            return call.tensor(shape, call.dtype(None))
        read = given[1:] if call.op == "where" else given
        joined = _where_of_numbers(read) if call.op == "where" else None
        joined = joined_dtype(read) if joined is None else joined
        by = _widening(call.op, special, dtype == "float")
        return call.tensor(shape, joined if by is None or joined is None else widen(by, joined))

    return rule


def _where_of_numbers(read: tuple[Type, ...]) -> Dtype | None:
    """The dtype of a choice between two numbers."""
    kinds = {found.kind for found in read if isinstance(found, ScalarType)}
    if len(kinds) == 0 or not all(isinstance(found, ScalarType) for found in read):
        return None
    if kinds <= {"int", "float"}:
        return "float64" if "float" in kinds else "int64"
    return None


def _is_operand(found: Type) -> bool:
    """Whether the operand's shape is known: that of a tensor that is there, or a number's."""
    if isinstance(found, TensorType):
        return not found.optional
    return isinstance(found, ScalarType) and found.kind in ("bool", "int", "float", "complex")


_TO_BOOL = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_not"})
_OF_NUMBERS = frozenset({"add", "subtract", "multiply", "divide", "negative", "positive"})
_OF_NUMBERS |= {"floor_divide", "remainder"}


def of_values(call: Call) -> Type:
    """The type of Python's arithmetic on values that are no tensors."""
    if call.op in _TO_BOOL:
        return ScalarType("bool")
    given = [found for found in call.operands if found is not None]
    if call.op == "add" and all(isinstance(f, ShapeType) and isinstance(f.shape, tuple) for f in given):
        return ShapeType(tuple(d for f in given if isinstance(f, ShapeType) for d in f.shape))  # type: ignore[union-attr]
    kinds = {found.kind for found in given if isinstance(found, ScalarType)}
    numbers = all(isinstance(found, ScalarType) for found in given) and kinds <= {"int", "float"}
    if not numbers or call.op not in _OF_NUMBERS:
        return ScalarType("value")
    strong = any(isinstance(found, ScalarType) and found.strong for found in given)
    if kinds == {"int"} and call.op != "divide":
        return ScalarType("value") if strong else ScalarType("int")
    return ScalarType("float", strong)
