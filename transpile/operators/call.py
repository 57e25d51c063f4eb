"""The argument of a rule of types: the operands' types and the attributes of one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..ir import Atom, Literal, Var
from ..ir.dtypes import Dtype, concrete, promote, shallow, widen
from ..ir.types import (
    NONE,
    Dim,
    DtypeType,
    LikeType,
    ListType,
    ScalarType,
    Shape,
    ShapeType,
    TensorType,
    TupleType,
    Type,
    is_deep,
    unknown_tensor,
)


def literal_type(literal: Literal) -> Type:
    """The type of a constant.

    >>> print(literal_type(Literal((3, 4))), literal_type(Literal(0.5, strong=True)))
    shape[3, 4] float64
    """
    value = literal.value
    if value is None:
        return NONE
    if isinstance(value, bool):
        return ScalarType("bool")
    if isinstance(value, int):
        return ScalarType("value") if literal.strong else ScalarType("int", dim=value)
    if isinstance(value, float):
        return ScalarType("float", "float64" if literal.strong else None)
    if isinstance(value, complex):
        return ScalarType("value") if literal.strong else ScalarType("complex")
    if isinstance(value, str):
        return ScalarType("str")
    if isinstance(value, slice):
        return ScalarType("every" if value == slice(None) else "slice")
    if value is Ellipsis:
        return ScalarType("ellipsis")
    if isinstance(value, tuple):
        if all(type(item) is int for item in value):
            return ShapeType(value)
        return TupleType(tuple(literal_type(Literal(item)) for item in value))
    return ScalarType("value")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an operator: `name` is the result's own, in which unknown sizes are named."""

    name: str
    op: str
    operands: tuple[Type | None, ...]
    attributes: Mapping[str, Atom]
    types: Mapping[str, Type]

    def unknown(self) -> TensorType:
        """A tensor of which nothing is known."""
        return unknown_tensor(self.name)

    def tensor(self, shape: Shape | None, dtype: Dtype | None) -> TensorType:
        """A tensor of this shape and dtype, with names of its own for what is None."""
        own = self.unknown()
        shape = own.shape if shape is None or is_deep(shape) else shape
        return TensorType(shape, own.dtype if dtype is None else shallow(dtype) or own.dtype)

    def size(self, axis: int) -> Dim:
        """The name of a size that is not known."""
        return f"{self.name}.{axis}"

    def operand(self, place: int) -> TensorType | None:
        """The type of an operand that is a tensor, or None for another."""
        found = self.operands[place] if place < len(self.operands) else None
        return found if isinstance(found, TensorType) else None

    def fixed(self, name: str, default: object = None) -> tuple[bool, object]:
        """True and the value of an attribute that is a constant; else False and None."""
        atom = self.attributes.get(name)
        if atom is None:
            return True, default
        return (False, None) if isinstance(atom, Var) else (True, atom.value)

    def whole(self, name: str, default: int) -> int | None:
        """An attribute that is a whole number, or None where it is not known."""
        known, value = self.fixed(name, default)
        return value if known and type(value) is int else None

    def shape(self, name: str = "shape") -> Shape | None:
        """The shape that an attribute gives, or None. A length of -1 has a name of its own."""
        found = self.types.get(name)
        if isinstance(found, ScalarType) and found.kind == "int":
            found = TupleType((found,))
        if isinstance(found, TupleType):
            dims: list[Dim] = []
            for axis, item in enumerate(found.items):
                if not isinstance(item, ScalarType) or item.kind not in ("int", "value"):
                    return None
                dims.append(self.size(axis) if item.dim is None or item.dim == -1 else item.dim)
            return tuple(dims)
        if not isinstance(found, ShapeType):
            return None
        if isinstance(found.shape, tuple):
            return tuple(self.size(k) if dim == -1 else dim for k, dim in enumerate(found.shape))
        return found.shape

    def like(self) -> TensorType | None:
        """The tensor that the attribute `like` describes: for None one without axes, so of any shape here."""
        found = self.types.get("like")
        known, value = self.fixed("like")
        if known and hasattr(value, "shape") and hasattr(value, "dtype"):
            dtype = concrete(str(value.dtype))
            return None if dtype is None else TensorType(tuple(value.shape), dtype)
        if not isinstance(found, LikeType) or not isinstance(found.of, TensorType):
            return None
        return TensorType(self.unknown().shape, found.of.dtype) if found.of.optional else found.of

    def likes(self) -> ListType:
        """The list of tensors that the attribute `likes` describes."""
        found = self.types.get("likes")
        return found.of if isinstance(found, LikeType) and isinstance(found.of, ListType) else ListType()

    def dtype(self, default: Dtype | None) -> Dtype | None:
        """The dtype that the attribute names, `default` where there is none, or None for one unknown."""
        atom, found = self.attributes.get("dtype"), self.types.get("dtype")
        if atom is None or found == NONE:
            return default
        if isinstance(found, DtypeType):
            return found.dtype
        known, value = self.fixed("dtype")
        return concrete(str(getattr(value, "__name__", value))) if known else None

    def list(self, place: int = 0) -> ListType:
        """The type of an operand that is a list."""
        found = self.operands[place]
        return found if isinstance(found, ListType) else ListType()


def number_dtype(found: Type | None) -> Dtype | None:
    """The dtype of an array that NumPy makes of a value; None where that is not known."""
    if isinstance(found, ScalarType) and found.dtype is None:
        return _OF_NUMBERS.get(found.kind)
    return found.dtype if isinstance(found, TensorType | ScalarType) else None


_OF_NUMBERS = {"bool": "bool", "int": "int64", "float": "float64"}


def joined_dtype(types: tuple[Type | None, ...]) -> Dtype | None:
    """The dtype to which operands promote; None where one is no number and no tensor, or none is a tensor."""
    parts: list[Dtype] = []
    weak, order = "bool", ("bool", "int", "number", "float", "complex")
    for found in types:
        if isinstance(found, (TensorType, ScalarType)) and found.dtype is not None:
            parts.append(found.dtype)
        elif isinstance(found, ScalarType) and found.kind in order:
            weak = max(weak, found.kind, key=order.index)
        else:
            return None
    if not parts:
        return None
    if weak == "number":  # an int or a float
        return widen("inexact", promote(parts))
    return promote(parts, "" if weak == "bool" else weak)  # type: ignore[arg-type]


Rule = Callable[[Call], Type]
