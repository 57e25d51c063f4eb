"""From what the reader knows of a value to an operand of an equation."""

from __future__ import annotations

import ast

from ...ir import Atom, Kind, Literal, Var
from ...operators.aten import ATEN
from ..names.bindings import BUILTINS
from ..syntax.fence import refuse
from .values import Callee, Choice, Dotted, Frame, Function, Growing, Items, Keyed, Value, is_value

# What stands in these is a function or a known constant; another module's name may be a number.
_FUNCTIONS_OF = frozenset({"numpy", "scipy", "math", "pullback", *BUILTINS})
_PYTHON_DTYPES = {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}


def atom(frame: Frame, value: Value, node: ast.AST, name: str | None = None) -> Atom:
    """The operand for a value; a tuple or list that is written out becomes an equation."""
    if isinstance(value, Literal) and isinstance(value.value, tuple):
        return Literal(tuple(value.value))  # without its names
    if isinstance(value, Var | Literal):
        return value
    if isinstance(value, Items | Growing):
        parts = [atom(frame, item, node) for item in value.items]
        literals = [part.value for part in parts if isinstance(part, Literal)]
        if len(literals) == len(parts):
            return Literal(tuple(literals))
        op = "tuple" if all(is_value(part) for part in parts) else "list"
        kind: Kind = "value" if op == "tuple" else "list"
        return frame.build.emit(op, parts, frame.span(node), kind=kind, name=name)
    if isinstance(value, Dotted) and (
        value.name.partition(".")[0] not in _FUNCTIONS_OF or value.name.startswith(ATEN)
    ):
        return frame.build.factory_value(value.text.replace(".", "_"), frame.span(node))
    hint = "call it" if not isinstance(value, Keyed) else "take an entry of it: `d['key']`"
    raise refuse("PB402", f"{_what(value)} cannot be used as a value", frame.span(node), hint=hint)


def keyword_atom(frame: Frame, name: str, value: Value, node: ast.AST) -> Atom:
    """The operand for a keyword argument. As a dtype, Python's own types mean NumPy's."""
    if name == "dtype" and isinstance(value, Dotted) and value.name in _PYTHON_DTYPES:
        return Literal(_PYTHON_DTYPES[value.name])
    return atom(frame, value, node)


def _what(value: Value) -> str:
    if isinstance(value, Function | Choice):
        return f"the function `{value.name}`"
    if isinstance(value, Dotted):
        return f"`{value.text}`"
    if isinstance(value, Callee):
        return f"the formula `{value.name}`"
    if isinstance(value, Keyed):
        return "a dictionary"
    return "this"


def list_atom(frame: Frame, value: Value, node: ast.AST) -> Atom:
    """The operand for a list of tensors (`np.concatenate([a, b])`)."""
    if isinstance(value, Items | Growing):
        parts = [atom(frame, item, node) for item in value.items]
        return frame.build.emit("list", parts, frame.span(node), kind="list")
    return atom(frame, value, node)
