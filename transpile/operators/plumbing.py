"""Arrays made of nothing, and what the transformation itself uses."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import Dtype, promote
from ..ir.types import (
    NONE,
    Dim,
    ScalarType,
    ShapeType,
    TableType,
    TensorType,
    TupleType,
    Type,
    TypeMistake,
    join_shapes,
    shape_text,
    there,
)
from .call import Call, Rule, joined_dtype, number_dtype
from .info import OperatorInfo, Scalar
from .pointwise import CHEAP


def _same(call: Call) -> Type:
    """An array in the shape and dtype of another."""
    a = call.operand(0)
    return call.unknown() if a is None else there(a)


def _like(call: Call) -> Type:
    return call.like() or call.unknown()


def _sum_to(call: Call) -> Type:
    """The operand's shape must broadcast from that of `like`."""
    like, x = call.like(), call.operand(0)
    if like is None:
        return call.unknown()
    if x is not None and isinstance(x.shape, tuple) and isinstance(like.shape, tuple):
        if len(like.shape) > len(x.shape):
            message = f"({shape_text(x.shape)}) is not what ({shape_text(like.shape)}) broadcasts to"
            raise TypeMistake(message)
        join_shapes([x.shape, like.shape])
    return like


def _in_place(call: Call) -> Type:
    """That of the array which is written to; of the value, where there is a number in its place."""
    x, a = call.operand(0), call.operand(1)
    if x is None:
        return call.unknown()
    if a is None or a.shape == () or call.fixed("shared") != (True, None):
        return there(x)
    if isinstance(a.shape, tuple):
        if isinstance(x.shape, tuple) and len(x.shape) != len(a.shape):
            message = (
                f"({shape_text(x.shape)}) does not fit into ({shape_text(a.shape)}), which is written to"
            )
            raise TypeMistake(message)
        return there(a)
    return call.tensor(x.shape, x.dtype if x.dtype == a.dtype else None)


def _filled(call: Call) -> Type:
    return call.tensor(call.shape(), call.dtype("float64"))


def _full(call: Call) -> Type:
    return call.tensor(call.shape(), call.dtype(number_dtype(call.types.get("fill_value"))))


def _array(call: Call) -> Type:
    """An array of a number, or of tuples of numbers of one length at each depth."""
    found = _entries(call.types.get("object"), call)
    return call.unknown() if found is None else call.tensor(found[0], call.dtype(found[1]))


def _entries(found: Type | None, call: Call, axis: int = 0) -> tuple[tuple[Dim, ...], Dtype | None] | None:
    """The shape from an axis on, and the dtype."""
    if isinstance(found, TableType):
        return tuple(call.size(axis + k) for k in range(found.depth)), found.dtype
    if isinstance(found, ShapeType) and isinstance(found.shape, tuple):
        return (len(found.shape),), "int64"
    if isinstance(found, ScalarType):
        return (), number_dtype(found)
    if not isinstance(found, TupleType):
        return None
    parts = [_entries(item, call, axis + 1) for item in found.items]
    shapes = {None if part is None else part[0] for part in parts}
    shape = shapes.pop() if len(shapes) == 1 else None
    dtypes = [None if part is None else part[1] for part in parts]
    known = [dtype for dtype in dtypes if dtype is not None]
    if shape is None:
        return None
    return (len(parts), *shape), promote(known) if len(known) == len(dtypes) else None


def _arange(call: Call) -> Type:
    given = [call.types.get(name, NONE) for name in ("start", "stop", "step")]
    found = [number_dtype(each) for each in given if each != NONE]
    whole = found == ["int64"]
    dtype = promote([each for each in found if each]) if None not in found else None
    size = given[0].dim if whole and isinstance(given[0], ScalarType) else None
    return call.tensor((call.size(0) if size is None else size,), dtype)


def _eye(call: Call) -> Type:
    dims: list[Dim] = []
    for axis, name in enumerate(("N", "M")):
        found = call.types.get(name)
        if axis == 1 and (found is None or found == ScalarType("none")):
            dims.append(dims[0])
            continue
        is_size = isinstance(found, ScalarType) and found.dim is not None
        dims.append(found.dim if is_size else call.size(axis))  # type: ignore[union-attr,arg-type]
    return call.tensor(tuple(dims), call.dtype("float64"))


def _accumulate(call: Call) -> Type:
    """The sum of two cotangents of one value, which are equal in shape and dtype."""
    x, y = call.operand(0), call.operand(1)
    if isinstance(x, TensorType) and x == y:
        return x
    if x is None or y is None:
        return call.unknown()
    return call.tensor(join_shapes([x.shape, y.shape]), joined_dtype(call.operands))


def _made(name: str, rule: Rule, *attrs: str, **facts: Any) -> OperatorInfo:
    """An array of numbers alone."""
    facts = {"dtype": "attr", "torch": f"torch.{name}", **facts}
    return OperatorInfo(name, f"numpy.{name}", (), attrs, derivative="zero", type=rule, **facts)


def _to_like(name: str, **facts: Any) -> OperatorInfo:
    """The entry of an operator that gives a cotangent the shape and dtype of another array."""
    return OperatorInfo(name, f"pullback.primitives.{name}", ("x",), ("like",), linear=(0,), **facts)


OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo(
        "zeros_like", "numpy.zeros_like", ("a",), derivative="zero", spelling=("numpy.empty_like",),
        type=_same, torch="torch.zeros_like",
    ),
    OperatorInfo(
        "ones_like", "numpy.ones_like", ("a",), derivative="zero", type=_same, torch="torch.ones_like"
    ),
    OperatorInfo(
        "full_like", "numpy.full_like", ("a",), ("fill_value",), derivative="zero", type=_same,
        torch="torch.full_like",
    ),
    _made("zeros", _filled, "shape", "dtype", spelling=("numpy.empty",)),
    _made("ones", _filled, "shape", "dtype"),
    _made("full", _full, "shape", "fill_value", "dtype"),
    _made("array", _array, "object", "dtype", torch=""),
    _made("arange", _arange, "start", "stop", "step", dtype="int"),
    _made("eye", _eye, "N", "M", "k", "dtype", torch=""),
    _made("tri", _eye, "N", "M", "k", "dtype", torch=""),
    _to_like("sum_to", type=_sum_to),
    _to_like("broadcast_like", type=_like, cost=CHEAP),
    _to_like("expect_like", type=_like, cost=CHEAP),
    _to_like("gradient_like", type=_same, cost=CHEAP),
    OperatorInfo(
        "in_place", "pullback.primitives.in_place", ("x", "a"), ("shared",), linear=(0,), type=_in_place,
        cost=CHEAP,
    ),
    OperatorInfo(
        "accumulate", "pullback.primitives.accumulate", ("x", "y"), kind="pointwise", linear=(0, 1),
        jointly=True, infix="+", type=_accumulate, cost=CHEAP, scalar=Scalar("+", of="numbers"),
    ),
    OperatorInfo(
        "refuse_gradient", "pullback.primitives.refuse_gradient", ("x",), ("argument", "why"), linear=(0,),
        type=_same,
    ),
    *(
        OperatorInfo(
            name, f"pullback.primitives.{name}", (operand,), ("kind", "depth"), derivative="zero",
            dtype="attr",
        )
        for name, operand in (("packed", "value"), ("unpacked", "rows"))
    ),
    OperatorInfo(
        "stop_gradient", "pullback.stop_gradient", ("x",), kind="pointwise", derivative="zero", type=_same,
        cost=CHEAP, scalar=Scalar("{0}"),
    ),
)  # fmt: skip
