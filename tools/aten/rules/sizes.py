"""Shapes, strides and lengths."""

from __future__ import annotations

import ast

from ..building import build
from ..scope import Scope
from .calls import Call
from .rule import Read

PATTERNS = {
    ("sym_sizes", 0): "VALUE.shape",
    ("sizes", 0): "VALUE.shape",
    ("sym_size", 1): "VALUE.shape[FIRST]",
    ("size", 1): "VALUE.shape[FIRST]",
    ("sym_strides", 0): "aten.stride(VALUE)",
    ("sym_numel", 0): "aten.numel(VALUE)",
    ("dim", 0): "VALUE.ndim",
    ("sym_blocksize", 0): "aten.blocksize(VALUE)",
    ("get_nested_sizes", 0): "aten._nested_tensor_size(VALUE)",
    ("back", 0): "VALUE[-1]",
    ("size", 0): "len(VALUE)",
}


def size(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`x.sym_size(0)` is `x.shape[0]`, `padding.size()` is `len(padding)`."""
    pattern = PATTERNS.get((call.name, len(call.arguments)))
    if call.receiver is None or pattern is None:
        return None
    operands = {"VALUE": read(call.receiver)}
    if call.arguments:
        operands["FIRST"] = read(call.arguments[0])
    return build(pattern, **operands)


def optional_sizes(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`bias->sym_sizes()` is None where there is no bias."""
    if call.receiver is None or not call.arrow or call.name != "sym_sizes":
        return None
    return build("None if VALUE is None else VALUE.shape", VALUE=read(call.receiver))


def nested_sizes(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`at::native::get_nested_tensor_impl(x)` stands before `->get_nested_sizes()`."""
    return read(call.arguments[0]) if call.full == "at::native::get_nested_tensor_impl" else None


CALLS = (nested_sizes, optional_sizes, size)
