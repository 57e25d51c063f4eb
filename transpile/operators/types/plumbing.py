"""Types of arrays made of nothing, and of what the transformation itself uses."""

from __future__ import annotations

from ...ir.types import Dim, ScalarType, TensorType, Type, TypeMistake, join_shapes, shape_text
from .call import Call, Rule, joined_dtype


def _same(call: Call) -> Type:
    """An array in the shape and dtype of another."""
    return call.operand(0) or call.unknown()


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


def _filled(call: Call) -> Type:
    return call.tensor(call.shape(), call.dtype("float64"))


def _full(call: Call) -> Type:
    return call.tensor(call.shape(), call.dtype(None))


def _arange(call: Call) -> Type:
    known, stop = call.fixed("stop")
    if known and stop is None and "step" not in call.attributes:
        start = call.types.get("start")
        if isinstance(start, ScalarType) and start.kind == "int":
            return call.tensor((call.size(0) if start.dim is None else start.dim,), "int64")
    return call.tensor((call.size(0),), None)


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


RULES: dict[str, Rule] = {
    "zeros_like": _same,
    "ones_like": _same,
    "full_like": _same,
    "stop_gradient": _same,
    "zeros": _filled,
    "ones": _filled,
    "full": _full,
    "arange": _arange,
    "eye": _eye,
    "tri": _eye,
    "sum_to": _sum_to,
    "broadcast_like": _like,
    "expect_like": _like,
    "accumulate": _accumulate,
}
