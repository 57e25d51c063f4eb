"""The names that a formula may read where it is exported, and what C++ calls them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .values import Expr


@dataclass(frozen=True)
class Scope:
    """The meaning of names in a formula.

    names      the C++ of each name, with its type as a schema spells it
    elements   names of lists of which a formula of a `_foreach_` function reads `[i]`, and the table no index
    functions  ATen's functions by name, overloads each
    gradients  the names of the gradients of the results, in order
    inputs     the inputs that the formula is for, by their names in Python
    duals      lists of which a rule for forward mode names primals and tangents together
    helpers    the functions of FunctionsManual.cpp that the file imports
    """

    names: Mapping[str, Expr]
    functions: Mapping[str, Sequence[Any]]
    elements: Mapping[str, Expr] = field(default_factory=dict)
    gradients: Sequence[str] = ()
    inputs: Sequence[str] = ()
    duals: frozenset[str] = frozenset()
    helpers: frozenset[str] = frozenset()


def called(node: ast.expr) -> str | None:
    """The name of the helper that a call calls: `handle_r_to_c`; None where it is no such call."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return None


def operator(node: ast.expr) -> str | None:
    """The name of the function of ATen that a call calls: `sum` of `aten.sum(x)`."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id == "aten" else None
    return None
