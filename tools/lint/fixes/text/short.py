"""Computations that are so short and cheap that nothing is worth saving for them."""

from __future__ import annotations

import ast

from ...analyses.torch_names import CHEAP
from .slicing import Slice


def is_short(found: Slice) -> bool:
    """At most two assignments, of arithmetic and functions of single elements."""
    if len(found.lines) > 2 or not all(isinstance(s, ast.Assign) for s in found.statements):
        return False
    for statement in found.statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.MatMult | ast.comprehension | ast.Lambda):
                return False
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                if name not in CHEAP:
                    return False
    return True
