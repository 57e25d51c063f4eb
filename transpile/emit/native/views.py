"""Operators that rearrange an array without a loop, as calls of the kernel's headers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import Atom, Literal
from .values import Values

Arguments = Mapping[str, Atom]


def view_call(op: str, operand: str, arguments: Arguments, values: Values) -> str | None:
    """The C++ of a view of `operand`, or None where its attributes are not known or not compiled."""
    return _MAKERS[op](operand, arguments, values)


def _is_none(arguments: Arguments, name: str) -> bool:
    atom = arguments.get(name, Literal(None))
    return isinstance(atom, Literal) and atom.value is None


def _to_shape(name: str) -> Callable[[str, Arguments, Values], str | None]:
    def call(operand: str, arguments: Arguments, values: Values) -> str | None:
        target = values.shape(arguments["shape"])
        return f"pb::{name}(context, {operand}, {target})" if target else None

    return call


def _expand_dims(operand: str, arguments: Arguments, values: Values) -> str | None:
    axes = values.axes(arguments.get("axis"))
    return f"pb::expand_dims(context, {operand}, {axes})" if axes else None


def _squeeze(operand: str, arguments: Arguments, values: Values) -> str | None:
    if _is_none(arguments, "axis"):
        return f"pb::squeeze(context, {operand}, pb::unit_axes({operand}.shape))"
    axes = values.axes(arguments["axis"])
    set_of = f"pb::axis_set(context, {axes}, {operand}.shape.ndim)"
    return f"pb::squeeze(context, {operand}, {set_of})" if axes else None


def _swapaxes(operand: str, arguments: Arguments, values: Values) -> str | None:
    first, second = arguments["axis1"], arguments["axis2"]
    if not isinstance(first, Literal) or not isinstance(second, Literal):
        return None
    return f"pb::swapaxes(context, {operand}, {first}, {second})"


def _transpose(operand: str, arguments: Arguments, values: Values) -> str | None:
    if _is_none(arguments, "axes"):
        return f"pb::transpose({operand})"
    axes = values.axes(arguments["axes"])
    return f"pb::transpose(context, {operand}, {axes})" if axes else None


def _getitem(operand: str, arguments: Arguments, values: Values) -> str | None:
    items = values.index(arguments["index"])
    return f"pb::take(context, {operand}, {{{', '.join(items)}}})" if items else None


_MAKERS: dict[str, Callable[[str, Arguments, Values], str | None]] = {
    "reshape": _to_shape("reshape"),
    "broadcast_to": _to_shape("broadcast_to"),
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "swapaxes": _swapaxes,
    "transpose": _transpose,
    "getitem": _getitem,
}

VIEWS = frozenset(_MAKERS)
