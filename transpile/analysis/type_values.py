"""Types of what the IR itself makes: tuples, lists, elements, shapes and sizes."""

from __future__ import annotations

from collections.abc import Mapping

from ..attributes import dot_subscripts
from ..ir import Eqn, Literal
from ..ir.type_joins import read_element
from ..ir.types import (
    DtypeType,
    LikeType,
    ListType,
    ScalarType,
    ShapeType,
    TableType,
    TensorType,
    TupleType,
    Type,
    TypeMistake,
    there,
    unknown_tensor,
)
from ..operators import OF_MATH
from ..operators.call import number_dtype

_TO_INT = frozenset({"ndim", "size", "len", "int", "math.ceil", "math.floor"})
_TO_FLOAT = frozenset({"float", "math.erf", *(f"math.{name}" for name in OF_MATH)})
_OPAQUE = {"numpy.digitize": "int64"}
_TO_BOOL = frozenset({"is_none", "not_", "bool", "isinstance"})


def of_structure(eqn: Eqn, args: tuple[Type, ...], named: Mapping[str, Type], name: str) -> Type | None:
    """The type of the output of an operator of the IR itself, or None where it is no such operator."""
    op = eqn.op
    if op == "tuple":
        return _tuple(args)
    if op == "list":
        return _list(args)
    if op == "item":
        return _item(args[0], args[1], eqn, name)
    if op in ("shape", "dtype", "like") and len(args) == 1:
        return _metadata(op, args[0])
    if op == "size" and len(args) == 1 and isinstance(args[0], TensorType) and args[0].shape == ():
        return ScalarType("int", dim=1)
    if op in ("ndim", "len") and len(args) == 1:
        return ScalarType("int", dim=_length(op, args[0]))
    if op in _TO_INT:
        return ScalarType("int")
    if op in _TO_FLOAT:
        return ScalarType("float")
    if op in _TO_BOOL:
        return ScalarType("bool")
    if op in ("slice", "range"):
        return ScalarType("slice" if op == "slice" else "range")
    if op == "format":
        return ScalarType("str")
    if op == "opaque" and isinstance(callee := eqn.kwarg("callee"), Literal) and callee.value in _OPAQUE:
        return TensorType(unknown_tensor(name).shape, _OPAQUE[str(callee.value)])
    if op == "pullback.primitives.dot_subscripts":
        return _subscripts(args, eqn)
    return None


def _subscripts(args: tuple[Type, ...], eqn: Eqn) -> Type:
    """The subscripts of a dot product, where both numbers of axes are known."""
    ranks = [found.dim for found in args[:2] if isinstance(found, ScalarType) and isinstance(found.dim, int)]
    axis = eqn.args[2]
    if len(ranks) < 2 or not isinstance(axis, Literal) or not isinstance(axis.value, int):
        return ScalarType("str")
    return ScalarType("str", text=dot_subscripts(ranks[0], ranks[1], axis.value))


def _tuple(args: tuple[Type, ...]) -> Type:
    dims = [found.dim for found in args if isinstance(found, ScalarType) and found.kind == "int"]
    known = [dim for dim in dims if dim is not None]
    return ShapeType(tuple(known)) if len(known) == len(args) else TupleType(args)


def _list(args: tuple[Type, ...]) -> Type:
    """A list of tensors, or of what they are like."""
    made = (_number(found) for found in args)
    items = tuple(found for found in made if isinstance(found, TensorType) and not found.optional)
    likes = [found.of for found in args if isinstance(found, LikeType)]
    tensors = tuple(there(like) for like in likes if isinstance(like, TensorType))
    if tensors and len(tensors) == len(args):
        return LikeType(_of_tensors(tensors))
    if not items or len(items) < len(args):
        return ListType()
    return _of_tensors(items)


def _number(found: Type) -> Type:
    """A number among tensors is an array of no axes, of the dtype that NumPy gives it."""
    dtype = number_dtype(found) if isinstance(found, ScalarType) and found.dtype is None else None
    return found if dtype is None else TensorType((), dtype)


def _of_tensors(items: tuple[TensorType, ...]) -> ListType:
    return ListType(items[0] if all(found == items[0] for found in items) else None, items)


def _item(values: Type, place: Type, eqn: Eqn, name: str) -> Type | None:
    index = eqn.args[1]
    if isinstance(values, LikeType) and isinstance(values.of, ListType):
        element = _item(values.of, place, eqn, name)
        return LikeType(element) if isinstance(element, TensorType) else None
    if isinstance(values, ListType):
        at = index.value if isinstance(index, Literal) else None
        if type(at) is int and -len(values.items) <= at < len(values.items):
            return values.items[at]
        return read_element(values, name)
    if values == ScalarType("range"):
        return ScalarType("int")
    if isinstance(values, TableType):
        return _part_of_table(values, place)
    if not isinstance(index, Literal) or type(index.value) is not int:
        return ScalarType("int") if isinstance(values, ShapeType) and place == ScalarType("int") else None
    at = index.value
    if isinstance(values, ShapeType):
        if not isinstance(values.shape, tuple):
            return ScalarType("int")
        if not -len(values.shape) <= at < len(values.shape):
            raise TypeMistake(f"there is no axis {at} in a shape of {len(values.shape)}")
        return ScalarType("int", dim=values.shape[at])
    if isinstance(values, TupleType) and -len(values.items) <= at < len(values.items):
        return values.items[at]
    return None


def _part_of_table(table: TableType, place: Type) -> Type | None:
    """An element, or a table of some."""
    if not isinstance(place, ScalarType) or place.kind in ("slice", "every"):
        return table
    if table.depth > 1:
        return TableType(table.dtype, table.depth - 1)
    return ScalarType("int" if table.dtype == "int64" else "float") if table.dtype != "bool" else None


def _metadata(op: str, of: Type) -> Type | None:
    if op == "like" and isinstance(of, (TensorType, ListType)):
        return LikeType(of)
    if not isinstance(of, TensorType):
        return None
    if op == "shape":
        return ShapeType(of.shape)
    return DtypeType(of.dtype)


def _length(op: str, of: Type) -> int | None:
    if isinstance(of, TensorType) and isinstance(of.shape, tuple) and op == "ndim":
        return len(of.shape)
    if isinstance(of, ShapeType) and isinstance(of.shape, tuple) and op == "len":
        return len(of.shape)
    return len(of.items) if isinstance(of, TupleType) and op == "len" else None
