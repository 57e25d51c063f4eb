"""Arguments, results, and the gradients of results."""

from __future__ import annotations

import ast
from typing import Any

from ..building import build, name
from ..cpp import field, text_of
from ..errors import NotImported
from ..scope import Scope, python_name
from .rule import Read


def identifier(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """A name is itself, or what the scope says."""
    text = text_of(node)
    if text in scope.renamed:
        return build(scope.renamed[text])
    if text == "grads" and "grads" not in scope.types:
        return ast.Tuple([name(gradient) for gradient in scope.gradients], ast.Load())
    return name(python_name(text))


def gradient(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`grads[1]` is the gradient of the second result, by its name."""
    if text_of(field(node, "argument")) != "grads" or "grads" in scope.types:
        return None
    index = text_of(field(node, "indices")).strip("[]")
    if not index.isdigit() or int(index) >= len(scope.gradients):
        raise NotImported(f"`{text_of(node)}` names none of {len(scope.gradients)} results")
    return name(scope.gradients[int(index)])


RULES = {"identifier": (identifier,), "subscript_expression": (gradient,)}
