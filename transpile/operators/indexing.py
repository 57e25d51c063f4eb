"""Operators that select entries by their places, and those that put them back there."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Literal
from ..ir.types import (
    Dim,
    Ranked,
    ScalarType,
    Shape,
    ShapeType,
    Stacked,
    TensorType,
    TupleType,
    Type,
    TypeMistake,
    axes_in,
    join_dims,
    ranked,
)
from .call import Call, literal_type
from .info import OperatorInfo
from .shapes import given_shape, of_operand


def _getitem(call: Call, a: TensorType) -> Shape | None:
    """Whole numbers, slices, new axes, an ellipsis, and alone an array of positions or a mask."""
    items = _items(call)
    if items is None:
        return None
    if not isinstance(a.shape, tuple):
        only = next(iter(a.shape.parts)) if len(a.shape.parts) == 1 else None
        return only.of if isinstance(only, Stacked) and len(items) == 1 and _is_place(items[0]) else None
    if len(items) == 1 and isinstance(items[0], TensorType):
        return _by_array(call, a.shape, items[0])
    if not all(_is_place(item) or _is_slice(item) or _is(item, "none", "ellipsis") for item in items):
        return None
    used = sum(not _is(item, "none", "ellipsis") for item in items)
    if used > len(a.shape):
        raise TypeMistake(f"{used} indices into an array of {len(a.shape)} axes")
    if not any(_is(item, "ellipsis") for item in items):
        items = [*items, ScalarType("ellipsis")]
    dims: list[Dim] = []
    rest = list(a.shape)
    for item in items:
        if _is(item, "none"):
            dims.append(1)
        elif _is(item, "ellipsis"):
            count = len(a.shape) - used
            dims += rest[:count]
            del rest[:count]
        elif _is_slice(item):
            dim = rest.pop(0)
            known = isinstance(item, slice) and isinstance(dim, int)
            length = len(range(dim)[item]) if known else call.size(len(dims))  # type: ignore[arg-type,index]
            dims.append(dim if _is(item, "every") else length)
        else:
            dim = rest.pop(0)
            if isinstance(dim, int) and isinstance(item, int) and not -dim <= item < dim:
                raise TypeMistake(f"there is no entry {item} among {dim}")
    return tuple(dims)


def _items(call: Call) -> list[Type | int | slice] | None:
    """The items of an index: numbers and slices, types of those not known; None where nothing is."""
    atom, found = call.attributes.get("index"), call.types.get("index")
    if isinstance(atom, Literal):
        values = atom.value if isinstance(atom.value, tuple) else (atom.value,)
        return [_constant(value) for value in values]
    if isinstance(found, TupleType):
        return list(found.items)
    if isinstance(found, ShapeType):
        return [ScalarType("int") for _ in found.shape] if isinstance(found.shape, tuple) else None
    return None if found is None else [found]


def _constant(value: object) -> Type | int | slice:
    if type(value) is int or (isinstance(value, slice) and value != slice(None)):
        return value
    return literal_type(Literal(value))


def _is(item: Type | int | slice, *kinds: str) -> bool:
    return isinstance(item, ScalarType) and item.kind in kinds


def _is_place(item: Type | int | slice) -> bool:
    return isinstance(item, int) or _is(item, "int")


def _is_slice(item: Type | int | slice) -> bool:
    return isinstance(item, slice) or _is(item, "slice", "every")


def _by_array(call: Call, shape: Ranked, index: TensorType) -> Shape | None:
    """The shape of the entries that an array of positions or a mask selects."""
    if not isinstance(index.shape, tuple) or len(index.shape) > len(shape):
        return None
    if index.dtype == "bool":
        return (call.size(0), *shape[len(index.shape) :])
    return (*index.shape, *shape[1:]) if index.dtype == "int64" and shape else None


def _take_along_axis(call: Call, a: TensorType) -> Shape | None:
    axis, indices = call.fixed("axis")[1], call.types.get("indices")
    if not isinstance(a.shape, tuple) or not isinstance(indices, TensorType) or type(axis) is not int:
        return None
    if not isinstance(indices.shape, tuple):
        return ranked(call.name, len(a.shape))
    if len(indices.shape) != len(a.shape):
        raise TypeMistake(f"positions of {len(indices.shape)} axes in an array of {len(a.shape)}")
    (place,) = axes_in((axis,), len(a.shape))
    pairs = enumerate(zip(a.shape, indices.shape, strict=True))
    return tuple(position if k == place else join_dims([dim, position]) for k, (dim, position) in pairs)


def _same(call: Call, a: TensorType) -> Shape | None:
    return a.shape


def _region(name: str, shape: Callable[[Call, TensorType], Shape | None]) -> OperatorInfo:
    """An operator on the entries of an array that a write has named."""
    rule = of_operand(shape)
    return OperatorInfo(name, f"pullback.primitives.{name}", ("a",), ("region",), linear=(0,), type=rule)


OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo(
        "getitem", "operator.getitem", ("a",), ("index",), kind="view", linear=(0,),
        type=of_operand(_getitem),
    ),
    OperatorInfo(
        "take_along_axis", "numpy.take_along_axis", ("arr",), ("indices", "axis"), linear=(0,),
        type=of_operand(_take_along_axis), torch="torch.take_along_dim",
    ),
    OperatorInfo(
        "put_along", "pullback.primitives.put_along", ("a",), ("indices", "axis", "shape"), linear=(0,),
        type=of_operand(given_shape),
    ),
    OperatorInfo(
        "index_put", "pullback.primitives.index_put", ("a", "value"), ("index", "repeated"),
        linear=(0, 1), jointly=True, type=of_operand(_same),
    ),
    OperatorInfo(
        "last_written", "pullback.primitives.last_written", (), ("index", "shape"),
        derivative="zero", dtype="bool", type=lambda call: call.tensor(None, "bool"),
    ),
    OperatorInfo(
        "unslice", "pullback.primitives.unslice", ("a",), ("index", "shape"), linear=(0,),
        type=of_operand(given_shape),
    ),
    _region("take_region", lambda call, a: None),
    _region("spread_region", lambda call, a: None),
    _region("clear_region", _same),
)  # fmt: skip
