"""New tensors with the options of another one, and the options and geometry of a tensor by themselves."""

from __future__ import annotations

import ast
from typing import Any

from ..building import build
from ..scope import Scope
from .calls import Call, call_of
from .rule import Read

NEW = {"zeros": "aten.new_zeros(LIKE, FIRST)", "ones": "aten.new_ones(LIKE, FIRST)"}
ALONE = {"options": "options(VALUE)", "TensorGeometry": "geometry(VALUE)"}


def new(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`at::zeros({}, x.options())` is `aten.new_zeros(x, ())`."""
    like = _like(call.arguments[-1]) if call.arguments else None
    if like is None or len(call.arguments) != 2:
        return None
    first = read(call.arguments[0])
    if call.name in NEW and call.receiver is None:
        return build(NEW[call.name], LIKE=read(like), FIRST=first)
    if call.name == "scalar_tensor":
        return build("aten.new_full(LIKE, (), FIRST)", LIKE=read(like), FIRST=first)
    if call.name == "new_zeros":
        return build("aten.new_zeros(LIKE, FIRST)", LIKE=read(like), FIRST=first)
    return None


def _like(node: Any) -> Any:
    """The tensor whose options a node is, or None."""
    call = call_of(node) if node.type == "call_expression" else None
    return call.receiver if call is not None and call.name == "options" else None


def alone(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`x.options()` and `TensorGeometry(x)` are plain values, which keep no tensor alive."""
    if call.name not in ALONE:
        return None
    scope.helpers.add(ALONE[call.name].partition("(")[0])
    held = call.receiver if call.receiver is not None else call.arguments[0]
    return build(ALONE[call.name], VALUE=read(held))


CALLS = (new, alone)
