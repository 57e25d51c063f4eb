"""Operators that give the same entries another shape or order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.dtypes import widen
from ..ir.types import (
    Ranked,
    Shape,
    TensorType,
    Type,
    TypeMistake,
    axes_in,
    expanded_shape,
    ranked,
    shape_text,
    squeezed_shape,
)
from .call import Call, Rule
from .info import OperatorInfo, Scalar
from .pointwise import CHEAP, broadcast


def of_operand(found: Callable[[Call, TensorType], Shape | None]) -> Rule:
    """A rule that keeps its operand's dtype and says what becomes of its shape."""

    def rule(call: Call) -> Type:
        a = call.operand(0)
        return call.unknown() if a is None else call.tensor(found(call, a), a.dtype)

    return rule


def given_shape(call: Call, a: TensorType) -> Shape | None:
    """The shape that is given."""
    return call.shape()


def _same(call: Call, a: TensorType) -> Shape | None:
    return a.shape


def _reshape(call: Call, a: TensorType) -> Shape | None:
    shape = call.shape()
    if isinstance(shape, tuple) and isinstance(a.shape, tuple):
        before, after = _count(a.shape), _count(shape)
        if before is not None and after is not None and before != after:
            message = f"an array of shape ({shape_text(a.shape)}) has no shape ({shape_text(shape)})"
            raise TypeMistake(message)
    return shape


def _count(shape: Ranked) -> int | None:
    total = 1
    for dim in shape:
        if not isinstance(dim, int):
            return None
        total *= dim
    return total


def _broadcast_to(call: Call, a: TensorType) -> Shape | None:
    shape = call.shape()
    if isinstance(shape, tuple) and isinstance(a.shape, tuple):
        pairs = list(zip(a.shape[::-1], shape[::-1], strict=False))
        wrong = [(n, m) for n, m in pairs if isinstance(n, int) and isinstance(m, int) and n not in (1, m)]
        if len(a.shape) > len(shape) or wrong:
            raise TypeMistake(f"({shape_text(a.shape)}) does not broadcast to ({shape_text(shape)})")
    return shape


def _transpose(call: Call, a: TensorType) -> Shape | None:
    known, axes = call.fixed("axes")
    if not isinstance(a.shape, tuple):
        return None
    if known and axes is None:
        return a.shape[::-1]
    if not isinstance(axes, tuple) or not all(type(axis) is int for axis in axes):
        return ranked(call.name, len(a.shape))
    if len(axes) != len(a.shape):
        raise TypeMistake(f"{len(axes)} axes are given of an array of {len(a.shape)}")
    return tuple(a.shape[axis] for axis in axes_in(axes, len(a.shape)))


def _swapaxes(call: Call, a: TensorType) -> Shape | None:
    axes = [call.fixed(name)[1] for name in ("axis1", "axis2")]
    if not isinstance(a.shape, tuple):
        return None
    if not all(type(axis) is int for axis in axes):
        return ranked(call.name, len(a.shape))
    first, second = (axes_in((axis,), len(a.shape))[0] for axis in axes)  # type: ignore[arg-type]
    dims = list(a.shape)
    dims[first], dims[second] = dims[second], dims[first]
    return tuple(dims)


def _moveaxis(call: Call, a: TensorType) -> Shape | None:
    if not isinstance(a.shape, tuple):
        return None
    given = [_axes(call, name) for name in ("source", "destination")]
    if None in given:
        return ranked(call.name, len(a.shape))
    places, targets = (axes_in(axes or (), len(a.shape)) for axes in given)
    if len(places) != len(targets):
        raise TypeMistake(f"{len(places)} axes are moved to {len(targets)} places")
    order = [axis for axis in range(len(a.shape)) if axis not in places]
    for target, place in sorted(zip(targets, places, strict=True)):
        order.insert(target, place)
    return tuple(a.shape[axis] for axis in order)


def _axes(call: Call, name: str) -> tuple[int, ...] | None:
    """An attribute that is an axis or several, or None where it is not known."""
    value = call.fixed(name)[1]
    axes = value if isinstance(value, tuple) else (value,)
    return axes if all(type(axis) is int for axis in axes) else None


def _repeat(call: Call, a: TensorType) -> Shape | None:
    known, axis = call.fixed("axis")
    if known and axis is None:
        return (call.size(0),)
    if not isinstance(a.shape, tuple):
        return None
    if type(axis) is not int:
        return None if not known else ranked(call.name, len(a.shape))
    (place,) = axes_in((axis,), len(a.shape))
    return tuple(call.size(k) if k == place else dim for k, dim in enumerate(a.shape))


def _expand_dims(call: Call, a: TensorType) -> Shape | None:
    axis = call.fixed("axis")[1]
    if type(axis) is int:
        return expanded_shape(a.shape, axis)
    if not isinstance(axis, tuple) or not isinstance(a.shape, tuple):
        return None
    rest, rank = iter(a.shape), len(a.shape) + len(axis)
    places = axes_in(axis, rank)
    return tuple(1 if k in places else next(rest) for k in range(rank))


def _squeeze(call: Call, a: TensorType) -> Shape | None:
    axis = call.fixed("axis")[1]
    if type(axis) is int:
        return squeezed_shape(a.shape, axis)
    if not isinstance(axis, tuple) or not isinstance(a.shape, tuple):
        return None
    shape: Shape | None = a.shape
    for place in sorted(axes_in(axis, len(a.shape)), reverse=True):
        shape = None if shape is None else squeezed_shape(shape, place)
    return shape


def _tile(call: Call, a: TensorType) -> Shape | None:
    given = call.fixed("reps")[1]
    reps = given if isinstance(given, tuple) else (given,)
    if not isinstance(a.shape, tuple) or not all(type(count) is int for count in reps):
        return None
    rank = max(len(reps), len(a.shape))
    reps, dims = (1,) * (rank - len(reps)) + reps, (1,) * (rank - len(a.shape)) + a.shape
    pairs = enumerate(zip(reps, dims, strict=True))
    return tuple(
        dim if count == 1 else count * dim if isinstance(dim, int) else call.size(k)
        for k, (count, dim) in pairs
    )


def _flatten_axes(call: Call, a: TensorType) -> Shape | None:
    known, axis = call.fixed("axis")
    axes = _axes(call, "axis")
    if known and axis is None:
        return (call.size(0),)
    if not isinstance(a.shape, tuple) or axes is None:
        return None
    taken = axes_in(axes, len(a.shape))
    rest = tuple(dim for k, dim in enumerate(a.shape) if k not in taken)
    return (*rest, call.size(len(rest)))


def _triangle(call: Call, a: TensorType) -> Shape | None:
    return a.shape if isinstance(a.shape, tuple) and len(a.shape) > 1 else None


def _without_axes(call: Call, a: TensorType, kept: int) -> Shape | None:
    axes = [call.whole(name, default) for name, default in (("axis1", 0), ("axis2", 1))]
    if not isinstance(a.shape, tuple) or axes[0] is None or axes[1] is None:
        return None
    if len(a.shape) < 2:
        raise TypeMistake(f"an array of {len(a.shape)} axes has no diagonal")
    taken = axes_in((axes[0], axes[1]), len(a.shape))
    rest = tuple(dim for axis, dim in enumerate(a.shape) if axis not in taken)
    return (*rest, call.size(len(rest))) if kept else rest


def _trace(call: Call) -> Type:
    a = call.operand(0)
    return call.unknown() if a is None else call.tensor(_without_axes(call, a, 0), widen("sum", a.dtype))


def _view(
    name: str, shape: Callable[[Call, TensorType], Shape | None], *attrs: str, **facts: Any
) -> OperatorInfo:
    """The entry of an operator whose result is a view of its operand."""
    facts = {"operand": "a", **facts}
    operand = facts.pop("operand")
    rule = of_operand(shape)
    return OperatorInfo(
        name, f"numpy.{name}", (operand,), attrs, kind="view", linear=(0,), type=rule, **facts
    )


def _copy(name: str, rule: Rule | None, *attrs: str, operand: str = "a", **facts: Any) -> OperatorInfo:
    """The entry of an operator that copies its operand's entries, or adds them up."""
    facts = {"python": f"numpy.{name}", **facts}
    python = facts.pop("python")
    return OperatorInfo(name, python, (operand,), attrs, linear=(0,), type=rule, **facts)


def _own(name: str, rule: Rule | None, *attrs: str) -> OperatorInfo:
    """A transpose of another operator, which only derivatives use."""
    return _copy(name, rule, *attrs, python=f"pullback.primitives.{name}")


OPERATORS: tuple[OperatorInfo, ...] = (
    _view("reshape", _reshape, "shape", methods=("reshape",), torch="torch.reshape"),
    _view(
        "transpose", _transpose, "axes", spelling=("numpy.permute_dims",), methods=("transpose",),
    ),
    _view("swapaxes", _swapaxes, "axis1", "axis2", methods=("swapaxes",), torch="torch.swapaxes"),
    _view("moveaxis", _moveaxis, "source", "destination", torch="torch.moveaxis"),
    _view("flip", _same, "axis", torch="torch.flip"),
    _copy("roll", of_operand(_same), "shift", "axis", torch="torch.roll"),
    _copy(
        "repeat", of_operand(_repeat), "repeats", "axis", methods=("repeat",), torch="torch.repeat_interleave"
    ),
    _own("sum_repeats", of_operand(given_shape), "repeats", "axis", "shape"),
    _copy("tile", of_operand(_tile), "reps", operand="A", torch="torch.tile"),
    _own("sum_tiles", of_operand(given_shape), "reps", "shape"),
    _view(
        "diagonal", lambda call, a: _without_axes(call, a, 1), "offset", "axis1", "axis2",
        methods=("diagonal",), torch="torch.diagonal",
    ),
    _own("undiagonal", of_operand(given_shape), "offset", "axis1", "axis2", "shape"),
    _copy("trace", _trace, "offset", "axis1", "axis2", methods=("trace",), torch="torch.trace"),
    _copy("tril", of_operand(_triangle), "k", operand="m", torch="torch.tril"),
    _copy("triu", of_operand(_triangle), "k", operand="m", torch="torch.triu"),
    _own("flatten_axes", of_operand(_flatten_axes), "axis"),
    _own("unflatten_axes", of_operand(given_shape), "axis", "shape"),
    _view("broadcast_to", _broadcast_to, "shape", operand="array", torch="torch.broadcast_to"),
    _view("expand_dims", _expand_dims, "axis", torch="torch.unsqueeze"),
    _view("squeeze", _squeeze, "axis", methods=("squeeze",), torch="torch.squeeze"),
    OperatorInfo(
        "astype", "numpy.astype", ("x",), ("dtype",), kind="pointwise", dtype="attr", linear=(0,),
        methods=("astype",), type=broadcast(None, "attr"), cost=CHEAP, scalar=Scalar("{0}"),
    ),
)  # fmt: skip
