"""Operators that rearrange an array without a loop, as calls of the runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ....ir import Atom, Literal
from ...expressions import Call, Expression, call, rank, run, shape
from ..values import Values

Arguments = Mapping[str, Atom]
Maker = Callable[[Expression, Arguments, Values], "Call | None"]


def view_call(op: str, operand: Expression, arguments: Arguments, values: Values) -> Call | None:
    """The call that gives a view of `operand`, or None where its attributes are not known or not compiled."""
    return _MAKERS[op](operand, arguments, values)


def _is_none(arguments: Arguments, name: str) -> bool:
    atom = arguments.get(name, Literal(None))
    return isinstance(atom, Literal) and atom.value is None


def _to_shape(name: str) -> Maker:
    def make(operand: Expression, arguments: Arguments, values: Values) -> Call | None:
        target = values.shape(arguments["shape"])
        return run(name, operand, target) if target else None

    return make


def _expand_dims(operand: Expression, arguments: Arguments, values: Values) -> Call | None:
    axes = values.axes(arguments.get("axis"))
    return run("expand_dims", operand, axes) if axes else None


def _squeeze(operand: Expression, arguments: Arguments, values: Values) -> Call | None:
    if _is_none(arguments, "axis"):
        return run("squeeze", operand, call("unit_axes", shape(operand)))
    axes = values.axes(arguments["axis"])
    return run("squeeze", operand, run("axis_set", axes, rank(shape(operand)))) if axes else None


def _swapaxes(operand: Expression, arguments: Arguments, values: Values) -> Call | None:
    first, second = arguments["axis1"], arguments["axis2"]
    if not isinstance(first, Literal) or not isinstance(second, Literal):
        return None
    return run("swapaxes", operand, first.value, second.value)  # type: ignore[arg-type]


def _transpose(operand: Expression, arguments: Arguments, values: Values) -> Call | None:
    if _is_none(arguments, "axes"):
        return call("transpose", operand)
    axes = values.axes(arguments["axes"])
    return run("transpose", operand, axes) if axes else None


def _getitem(operand: Expression, arguments: Arguments, values: Values) -> Call | None:
    items = values.index(arguments["index"])
    return run("take", operand, items) if items else None


_MAKERS: dict[str, Maker] = {
    "reshape": _to_shape("reshape"),
    "broadcast_to": _to_shape("broadcast_to"),
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "swapaxes": _swapaxes,
    "transpose": _transpose,
    "getitem": _getitem,
}

VIEWS = frozenset(_MAKERS)
