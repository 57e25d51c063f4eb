"""Types of operators that arrange, repeat, select and join entries."""

from __future__ import annotations

from collections.abc import Callable

from ...ir import Literal
from ...ir.dtypes import widen
from ...ir.types import (
    Dim,
    Ranked,
    Shape,
    TensorType,
    Type,
    TypeMistake,
    axes_in,
    expanded_shape,
    join_dims,
    shape_text,
    squeezed_shape,
)
from .call import Call, Rule


def _of_operand(found: Callable[[Call, TensorType], Shape | None]) -> Rule:
    """A rule that keeps its operand's dtype and says what becomes of its shape."""

    def rule(call: Call) -> Type:
        a = call.operand(0)
        return call.unknown() if a is None else call.tensor(found(call, a), a.dtype)

    return rule


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


def _to_shape(call: Call, a: TensorType) -> Shape | None:
    return call.shape()


def _transpose(call: Call, a: TensorType) -> Shape | None:
    known, axes = call.fixed("axes")
    if not isinstance(a.shape, tuple) or not known:
        return None
    if axes is None:
        return a.shape[::-1]
    if not isinstance(axes, tuple) or not all(type(axis) is int for axis in axes):
        return None
    if len(axes) != len(a.shape):
        raise TypeMistake(f"{len(axes)} axes are given of an array of {len(a.shape)}")
    return tuple(a.shape[axis] for axis in axes_in(axes, len(a.shape)))


def _swapaxes(call: Call, a: TensorType) -> Shape | None:
    axes = [call.fixed(name)[1] for name in ("axis1", "axis2")]
    if not isinstance(a.shape, tuple) or not all(type(axis) is int for axis in axes):
        return None
    first, second = (axes_in((axis,), len(a.shape))[0] for axis in axes)  # type: ignore[arg-type]
    dims = list(a.shape)
    dims[first], dims[second] = dims[second], dims[first]
    return tuple(dims)


def _moveaxis(call: Call, a: TensorType) -> Shape | None:
    source, destination = (call.fixed(name)[1] for name in ("source", "destination"))
    if not isinstance(a.shape, tuple) or type(source) is not int or type(destination) is not int:
        return None
    (place,), (target,) = (axes_in((axis,), len(a.shape)) for axis in (source, destination))
    dims = [dim for axis, dim in enumerate(a.shape) if axis != place]
    dims.insert(target, a.shape[place])
    return tuple(dims)


def _repeat(call: Call, a: TensorType) -> Shape | None:
    known, axis = call.fixed("axis")
    if known and axis is None:
        return (call.size(0),)
    if not isinstance(a.shape, tuple) or type(axis) is not int:
        return None
    (place,) = axes_in((axis,), len(a.shape))
    return tuple(call.size(k) if k == place else dim for k, dim in enumerate(a.shape))


def _expand_dims(call: Call, a: TensorType) -> Shape | None:
    axis = call.fixed("axis")[1]
    return expanded_shape(a.shape, axis) if type(axis) is int else None


def _squeeze(call: Call, a: TensorType) -> Shape | None:
    axis = call.fixed("axis")[1]
    return squeezed_shape(a.shape, axis) if type(axis) is int else None


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


def _getitem(call: Call, a: TensorType) -> Shape | None:
    """Constant indices: whole numbers, slices, new axes and an ellipsis."""
    index = call.attributes.get("index")
    if not isinstance(index, Literal) or not isinstance(a.shape, tuple):
        return None
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    if not all(part is None or part is ... or type(part) is int or isinstance(part, slice) for part in parts):
        return None
    used = sum(part is not None and part is not ... for part in parts)
    if used > len(a.shape):
        raise TypeMistake(f"{used} indices into an array of {len(a.shape)} axes")
    if ... not in parts:
        parts = (*parts, ...)
    dims: list[Dim] = []
    rest = list(a.shape)
    for part in parts:
        if part is None:
            dims.append(1)
        elif part is ...:
            count = len(rest) - sum(p is not None for p in parts[parts.index(...) + 1 :])
            dims += rest[:count]
            del rest[:count]
        elif isinstance(part, slice):
            dim = rest.pop(0)
            whole = part == slice(None)
            length = len(range(dim)[part]) if isinstance(dim, int) else call.size(len(dims))
            dims.append(dim if whole else length)
        else:
            dim = rest.pop(0)
            if isinstance(dim, int) and not -dim <= part < dim:
                raise TypeMistake(f"there is no entry {part} among {dim}")
    return tuple(dims)


def _joined(stacked: bool) -> Rule:
    """concatenate and stack, of lists whose elements have one known shape."""

    def rule(call: Call) -> Type:
        each = call.element()
        axis = call.whole("axis", 0)
        if each is None or axis is None or not isinstance(each.shape, tuple):
            return call.unknown()
        dims = list(each.shape)
        if stacked:
            (place,) = axes_in((axis,), len(dims) + 1)
            dims.insert(place, call.size(place))
        else:
            (place,) = axes_in((axis,), len(dims))
            dims[place] = call.size(place)
        return call.tensor(tuple(join_dims([dim]) for dim in dims), None)

    return rule


RULES: dict[str, Rule] = {
    "reshape": _of_operand(_reshape),
    "transpose": _of_operand(_transpose),
    "swapaxes": _of_operand(_swapaxes),
    "moveaxis": _of_operand(_moveaxis),
    "flip": _of_operand(_same),
    "roll": _of_operand(_same),
    "repeat": _of_operand(_repeat),
    "sum_repeats": _of_operand(_to_shape),
    "sum_tiles": _of_operand(_to_shape),
    "undiagonal": _of_operand(_to_shape),
    "diagonal": _of_operand(lambda call, a: _without_axes(call, a, 1)),
    "trace": _trace,
    "tril": _of_operand(_triangle),
    "triu": _of_operand(_triangle),
    "unflatten_axes": _of_operand(_to_shape),
    "broadcast_to": _of_operand(_to_shape),
    "expand_dims": _of_operand(_expand_dims),
    "squeeze": _of_operand(_squeeze),
    "getitem": _of_operand(_getitem),
    "put_along": _of_operand(_to_shape),
    "unslice": _of_operand(_to_shape),
    "last_written": lambda call: call.tensor(None, "bool"),
    "concatenate": _joined(stacked=False),
    "stack": _joined(stacked=True),
}
