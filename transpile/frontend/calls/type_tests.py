"""``isinstance``: decided by what a value is known to be, or asked of an attribute as the formula runs."""

from __future__ import annotations

import ast

from ...ir import Literal, Var
from ...operators import PYTHON_TYPES
from ..names.constants import dotted_name
from ..state.growing import is_list
from ..state.readers import read
from ..state.values import Frame, Growing, Items, Keyed, Value
from ..syntax.fence import refuse

_ARRAYS = frozenset({"numpy.ndarray", "pullback.Tensor"})
_NUMBERS = frozenset({"int", "float", "bool", "complex"})
_BY_VALUE: dict[type, str] = {Items: "tuple", Growing: "list", Keyed: "dict"}


def read_type_test(frame: Frame, node: ast.Call, name: str | None) -> Value:
    """``isinstance(value, types)``, whose types are those of Python's values, and arrays."""
    if len(node.args) != 2 or node.keywords:
        raise refuse("PB404", "`isinstance` takes a value and a type", frame.span(node))
    types = _types(frame, node.args[1])
    value = read(frame, node.args[0])
    if isinstance(value, Literal):
        return Literal(
            isinstance(value.value, tuple(PYTHON_TYPES[each] for each in types if each in PYTHON_TYPES))
        )
    if not isinstance(value, Var):
        return Literal(_BY_VALUE.get(type(value), "function") in types)
    if value.kind == "list" or is_list(frame, value):
        return Literal("list" in types)
    if value.kind == "tensor":
        return _of_tensor(frame, value, types, node)
    if not _ARRAYS.isdisjoint(types):
        message = "whether an attribute is an array is outside of the formula language"
        hint = "make it a parameter in front, which is a tensor, and ask for numbers, texts and tuples"
        raise refuse("PB402", message, frame.span(node.args[1]), value="isinstance", hint=hint)
    asked = (("of", Literal(" ".join(types))),)
    return frame.build.emit("isinstance", (value,), frame.span(node), kwargs=asked, kind="value", name=name)


def _types(frame: Frame, node: ast.expr) -> list[str]:
    """The full names of a type or of a tuple of types."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    names = [dotted_name(part, frame.names) or "" for part in parts]
    for part, each in zip(parts, names, strict=True):
        if each not in PYTHON_TYPES and each not in _ARRAYS:
            message = "`isinstance` with this type is outside of the formula language"
            hint = f"it knows {', '.join(sorted(PYTHON_TYPES))} and np.ndarray"
            raise refuse("PB402", message, frame.span(part), value="isinstance", hint=hint)
    return names


def _of_tensor(frame: Frame, value: Var, types: list[str], node: ast.Call) -> Literal:
    """True where an array is among the types: an argument that is a list or a number may be one.

    The texts in `formulas/` take it for an array, for which they compute what numbers give too.
    """
    is_array = not _ARRAYS.isdisjoint(types)
    if frame.place is not None:
        return Literal(is_array)
    optional = value in frame.build.maybe_none
    if optional or (not is_array and not _NUMBERS.isdisjoint(types)):
        written = ast.unparse(node.args[0])
        hint = f"ask `{written}.ndim == 0`"
        if optional:
            hint = f"ask `{written} is None`"
        elif value in frame.build.inputs:
            hint = f"annotate a number, behind the tensors: `{written}: float`"
        message = f"`{written}` is a tensor here: only a call knows its type in Python"
        raise refuse("PB402", message, frame.span(node.args[0]), value="isinstance", hint=hint)
    return Literal(is_array)
