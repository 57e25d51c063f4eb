"""New tensors with the options of another one, and the options and geometry of a tensor by themselves."""

from __future__ import annotations

import ast

from pullback.transpile.emit.aten.values import PRIMARY

from ..scope import Scope, called, operator
from ..types import OTHER, TENSOR, is_symbolic
from ..values import Expr
from .rule import Rule, Write

_NEW = {"new_zeros": "zeros", "new_ones": "ones"}


def new(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`aten.new_zeros(x, ())` is `at::zeros({}, x.options())`."""
    name = operator(node) or ""
    if name in _NEW and len(node.args) == 2 and not node.keywords:
        like, sizes = map(write, node.args)
        made = f"{_NEW[name]}_symint" if is_symbolic(sizes.type) else _NEW[name]
        return Expr(f"at::{made}({sizes.text}, {like.within(PRIMARY)}.options())", TENSOR)
    if name == "new_full" and len(node.args) == 3 and ast.unparse(node.args[1]) == "()" and not node.keywords:
        like, value = write(node.args[0]), write(node.args[2])
        return Expr(f"at::scalar_tensor({value.text}, {like.within(PRIMARY)}.options())", TENSOR)
    return None


def alone(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`options(x)` is `x.options()`, `geometry(x)` is `TensorGeometry(x)`."""
    name = called(node)
    if name not in ("options", "geometry") or len(node.args) != 1:
        return None
    value = write(node.args[0])
    text = f"{value.within(PRIMARY)}.options()" if name == "options" else f"TensorGeometry({value.text})"
    return Expr(text, OTHER)


RULES: dict[str, tuple[Rule, ...]] = {"Call": (new, alone)}
