"""Values that may not be there: None is an undefined tensor, or an empty std::optional."""

from __future__ import annotations

import ast

from pullback.transpile.emit.aten.values import PRIMARY, UNARY

from ..scope import Scope
from ..types import BOOL, SIZES, is_tensor
from ..values import Expr
from .rule import Rule, Write


def present(node: ast.Compare, scope: Scope, write: Write) -> Expr | None:
    """`x is not None` is `x.defined()` of a tensor, and `x.has_value()` of another value."""
    if (
        len(node.ops) > 1
        or not isinstance(node.ops[0], ast.Is | ast.IsNot)
        or not _is_none(node.comparators[0])
    ):
        return None
    value = write(node.left)
    method = "defined" if is_tensor(value.type) else "has_value"
    text = f"{value.within(PRIMARY)}.{method}()"
    return Expr(text, BOOL) if isinstance(node.ops[0], ast.IsNot) else Expr(f"!{text}", BOOL, UNARY)


def value_or(node: ast.IfExp, scope: Scope, write: Write) -> Expr | None:
    """`y if x is None else x` is `x.value_or(y)`; `None if x is None else x.shape` is `x->sym_sizes()`."""
    tested = _tested(node.test)
    if tested is None:
        return None
    value = write(tested)
    if ast.dump(node.orelse) == ast.dump(tested) and not is_tensor(value.type):
        other = write(node.body).text
        other = f"IntArrayRef({other})" if other.startswith("{") else other  # braces alone have no type
        return Expr(f"{value.within(PRIMARY)}.value_or({other})", value.type.rstrip("?"))
    if _is_none(node.body) and ast.unparse(node.orelse) == f"{ast.unparse(tested)}.shape":
        return Expr(f"{value.within(PRIMARY)}->sym_sizes()", f"{SIZES}?")
    return None


def _tested(test: ast.expr) -> ast.expr | None:
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and _is_none(test.comparators[0]):
        return test.left
    return None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


RULES: dict[str, tuple[Rule, ...]] = {"Compare": (present,), "IfExp": (value_or,)}
