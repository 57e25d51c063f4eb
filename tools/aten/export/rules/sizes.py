"""Shapes, strides and lengths."""

from __future__ import annotations

import ast

from pullback.transpile.emit.aten.values import PRIMARY

from ..scope import Scope, called, operator
from ..types import INT, SIZES, SYMINT, TENSOR, element_of
from ..values import Expr
from .rule import Rule, Write

_METHODS = {
    "stride": ("sym_strides", SIZES),
    "numel": ("sym_numel", SYMINT),
    "blocksize": ("sym_blocksize", SIZES),
}


def attribute(node: ast.Attribute, scope: Scope, write: Write) -> Expr | None:
    """`x.shape` is `x.sym_sizes()`, `x.ndim` is `x.dim()`."""
    if node.attr == "shape":
        return Expr(f"{write(node.value).within(PRIMARY)}.sym_sizes()", SIZES)
    return Expr(f"{write(node.value).within(PRIMARY)}.dim()", INT) if node.attr == "ndim" else None


def size(node: ast.Subscript, scope: Scope, write: Write) -> Expr | None:
    """`x.shape[0]` is `x.sym_size(0)`, `x[-1]` of a list of numbers is `x.back()`."""
    if isinstance(node.slice, ast.Slice):
        return None
    if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        value = write(node.value.value)
        return Expr(f"{value.within(PRIMARY)}.sym_size({write(node.slice).text})", SYMINT)
    if ast.unparse(node.slice) == "-1":
        values = write(node.value)
        return Expr(f"{values.within(PRIMARY)}.back()", element_of(values.type))
    return None


def method(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`aten.numel(x)` is `x.sym_numel()`, `len(x)` is `x.size()`."""
    if len(node.args) != 1 or node.keywords:
        return None
    if called(node) == "len":
        return Expr(f"{write(node.args[0]).within(PRIMARY)}.size()", INT)
    name = operator(node) or ""
    if name == "_nested_tensor_size":
        held = write(node.args[0]).text
        return Expr(f"at::native::get_nested_tensor_impl({held})->get_nested_sizes()", TENSOR)
    if name not in _METHODS:
        return None
    spelled, of_type = _METHODS[name]
    return Expr(f"{write(node.args[0]).within(PRIMARY)}.{spelled}()", of_type)


RULES: dict[str, tuple[Rule, ...]] = {"Attribute": (attribute,), "Subscript": (size,), "Call": (method,)}
