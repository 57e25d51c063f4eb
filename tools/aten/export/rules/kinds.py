"""Dtypes, layouts, devices, and numbers of C++'s Scalar."""

from __future__ import annotations

import ast

from pullback.transpile.emit.aten.values import EQUALITY, PRIMARY

from ...rules.kinds import ENUMERATORS
from ..scope import Scope, called, operator
from ..types import BOOL, CONJUGATE, INT, OTHER
from ..values import Expr
from .rule import Rule, Write

_OF_TENSORS = {
    "layout": ("layout", OTHER),
    "is_complex": ("is_complex", BOOL),
    "is_cpu": ("is_cpu", BOOL),
    "is_xpu": ("is_xpu", BOOL),
    "suggest_memory_format": ("suggest_memory_format", OTHER),
}
_OF_SCALARS = {"conjugate": ("conj", CONJUGATE), "is_complex": ("isComplex", BOOL)}
_ENUMERATORS = {name: text for text, name in ENUMERATORS.items()}


def dtype(node: ast.Attribute, scope: Scope, write: Write) -> Expr | None:
    """`x.dtype` is `x.scalar_type()`."""
    if node.attr != "dtype":
        return None
    return Expr(f"{write(node.value).within(PRIMARY)}.scalar_type()", "ScalarType")


def of_tensor(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`aten.layout(x)` is `x.layout()`; `aten.is_jagged(x)` is `x.layout() == c10::kJagged`."""
    name = operator(node)
    if name is None or len(node.args) != 1 or node.keywords:
        return None
    if name == "is_jagged":
        return Expr(f"{write(node.args[0]).within(PRIMARY)}.layout() == c10::kJagged", BOOL, EQUALITY)
    if name not in _OF_TENSORS:
        return None
    method, of_type = _OF_TENSORS[name]
    return Expr(f"{write(node.args[0]).within(PRIMARY)}.{method}()", of_type)


def of_scalar(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`conjugate(alpha)` is `alpha.conj()`."""
    found = _OF_SCALARS.get(called(node) or "")
    if found is None or len(node.args) != 1:
        return None
    method, of_type = found
    return Expr(f"{write(node.args[0]).within(PRIMARY)}.{method}()", of_type)


def enumerator(node: ast.Name, scope: Scope, write: Write) -> Expr | None:
    """NO_REDUCTION is `at::Reduction::None`."""
    text = _ENUMERATORS.get(node.id)
    return None if text is None else Expr(text, INT)


RULES: dict[str, tuple[Rule, ...]] = {
    "Attribute": (dtype,),
    "Call": (of_scalar, of_tensor),
    "Name": (enumerator,),
}
