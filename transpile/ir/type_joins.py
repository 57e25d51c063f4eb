"""The type of a value that is one of two, or that another iteration may have made."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from .dtypes import Dtype, Promoted, Widened, among_floats, dtype_names, kind_among_floats, promote, widen
from .types import (
    NONE,
    NUMBERS,
    Dim,
    LikeType,
    ListType,
    ScalarType,
    Shape,
    TensorType,
    Type,
    Unranked,
    names_of,
)


def merged(first: Type, second: Type, own: Type) -> Type:
    """The type of what is one of two values; `own` is the one of which nothing is known."""
    if first == second:
        return first
    if isinstance(own, TensorType):
        first, second = as_tensor(first, own), as_tensor(second, own)
        if NONE in (first, second):
            there = second if first == NONE else first
            return replace(there, optional=True) if isinstance(there, TensorType) else own
        if isinstance(first, TensorType) and isinstance(second, TensorType):
            shape = _merged_shape(first.shape, second.shape, own)
            dtype = _merged_dtype(first.dtype, second.dtype, own)
            return TensorType(shape, dtype, first.optional or second.optional)
        return own
    if isinstance(first, ScalarType) and isinstance(second, ScalarType) and NONE not in (first, second):
        if (first.kind, first.dtype) == (second.kind, second.dtype):
            return ScalarType(first.kind, first.dtype)
        kinds = {first.kind, second.kind}
        python = first.dtype is None and second.dtype is None and kinds <= {"int", "float", "number"}
        return ScalarType("number") if python else own
    if isinstance(first, ListType) or isinstance(second, ListType):
        return ListType()
    if NONE in (first, second):  # what is read is there
        return second if first == NONE else first
    return own


def as_tensor(found: Type, own: TensorType) -> Type:
    """A number as the tensor without axes that it stands for, of the dtype of `own`; others as they are."""
    is_number = isinstance(found, ScalarType) and found.kind in NUMBERS - {"value"}
    return TensorType((), own.dtype) if is_number else found


def _merged_dtype(first: Dtype, second: Dtype, own: TensorType) -> Dtype:
    """The dtype, where the two are one among floats at least."""
    if first == second:
        return first
    names = among_floats(first)
    if names != among_floats(second):
        return own.dtype
    return widen("inexact", promote(names)) or own.dtype


def same_array(first: Type, second: Type) -> bool:
    """True where two tensors, neither of which is None, have equal shapes, and equal dtypes among floats."""
    if not isinstance(first, TensorType) or not isinstance(second, TensorType):
        return False
    return first.shape == second.shape and kind_among_floats(first.dtype) == kind_among_floats(second.dtype)


def is_uniform(found: Type | None) -> bool:
    """True for a list all whose elements are known to have one shape."""
    if not isinstance(found, ListType) or found.element is None:
        return False
    return "*" not in map(_root, names_of(found.element.shape))


def _merged_shape(first: Shape, second: Shape, own: TensorType) -> Shape:
    if first == second:
        return first
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        names = _names(own, len(first))
        return tuple(a if a == b else n for a, b, n in zip(first, second, names, strict=True))
    return own.shape


def _names(own: TensorType, rank: int) -> tuple[Dim, ...]:
    """Names for the sizes of a tensor of this rank."""
    (name,) = names_of(own.shape)
    return tuple(f"{name}.{axis}" for axis in range(rank))


def _root(name: str) -> str:
    """The variable that a name of a shape, a size or a dtype belongs to."""
    return name.partition(".")[0]


def _is_born(names: Set[str], born: Set[str]) -> bool:
    return any(_root(name) in born for name in names)


def with_unknown_sizes(found: Type, born: Set[str], own: Type) -> Type:
    """The type outside of a loop: what it says in names `born` there is not known, and named by `own`."""
    if isinstance(found, TensorType) and isinstance(own, TensorType):
        shape = found.shape
        if _is_born(names_of(shape), born):
            shape = own.shape
            if isinstance(found.shape, tuple):
                own_names = _names(own, len(found.shape))
                shape = tuple(
                    name if _is_born(names_of((dim,)), born) else dim
                    for dim, name in zip(found.shape, own_names, strict=True)
                )
        dtype = own.dtype if _is_born(dtype_names(found.dtype), born) else found.dtype
        return TensorType(shape, dtype, found.optional)
    if isinstance(found, ScalarType):
        named = found.dtype is not None and _is_born(dtype_names(found.dtype), born)
        return own if named else ScalarType(found.kind, found.dtype)
    if isinstance(found, ListType):
        return ListType() if found.element is None else _list_of(found.element, born, found.count)
    return own


def collected(found: Type, born: Set[str], count: Dim | None) -> ListType | LikeType:
    """A list of values of this type, which may differ in what is said in names born in the loop."""
    if isinstance(found, LikeType):
        return LikeType(_list_of(found.of, born, count))
    return _list_of(found, born, count)


def _list_of(found: Type, born: Set[str], count: Dim | None) -> ListType:
    if not isinstance(found, TensorType) or found.optional:
        return ListType(count=count)
    any_one = TensorType(Unranked(frozenset({"*"})), "*.dtype")
    made = with_unknown_sizes(found, {*born, "*"}, any_one)
    assert isinstance(made, TensorType)
    return ListType(made, count=count)


def read_element(found: ListType, name: str) -> TensorType | None:
    """The type of one element that is read from a list, in names of its own."""
    if found.element is None:
        return None
    own = TensorType(Unranked(frozenset({name})), f"{name}.dtype")
    made = with_unknown_sizes(found.element, {"*"}, own)
    return made if isinstance(made, TensorType) else None


def conflict(first: Type, second: Type) -> str:
    """The reason why no value can have both types, or an empty string."""
    if not isinstance(first, TensorType) or not isinstance(second, TensorType):
        return ""
    a, b = first.shape, second.shape
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return f"{len(a)} axes and {len(b)}"
        for left, right in zip(a, b, strict=True):
            if isinstance(left, int) and isinstance(right, int) and left != right:
                return f"sizes {left} and {right}"
    if _settled(first.dtype) and _settled(second.dtype) and first.dtype != second.dtype:
        return f"dtypes {first.dtype} and {second.dtype}"
    return ""


def _settled(dtype: Dtype) -> bool:
    return not dtype_names(dtype) and not isinstance(dtype, (Promoted, Widened))
