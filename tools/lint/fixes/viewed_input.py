"""An input that the forward returns as it is becomes a view of itself."""

from __future__ import annotations

import ast

from .fix import Fix
from .text.place import Place
from .text.splices import CannotFix

CODES = ("PB904",)


def apply(place: Place) -> None:
    """Change the returned name."""
    line, name = place.finding.span.line, place.finding.value
    function = place.function_at(line)
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.lineno <= line <= (node.end_lineno or node.lineno):
            value = node.value
            parts = value.elts if isinstance(value, ast.Tuple) else [value]
            found = [p for p in parts if isinstance(p, ast.Name) and p.id == name]
            if found:
                for part in found:
                    place.text.replace(part, f"{name}.view_as({name})")
                return
    raise CannotFix(f"`{name}` is not returned by its name")


FIX = Fix(apply, True, "returned as a view")
