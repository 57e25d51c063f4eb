"""Nodes of syntax trees that no author wrote, and where in the text they stand."""

from __future__ import annotations

import ast
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.AST)


def node_of(kind: type[_Node], place: ast.AST, *parts: object) -> _Node:
    """A node of a kind of ours, at a place. It is made without arguments, or it could not be copied."""
    made = kind()
    for name, part in zip(kind._fields, parts, strict=True):
        setattr(made, name, part)
    return ast.copy_location(made, place)


def located(tree: _Node, place: ast.AST) -> _Node:
    """The same tree, whose parts that stand nowhere in the text stand where `place` does."""
    for part in ast.walk(tree):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            ast.copy_location(part, place)
    return tree


def moved(tree: _Node, place: ast.AST) -> _Node:
    """The same tree, all of which stands where `place` does."""
    for part in ast.walk(tree):
        if "lineno" in part._attributes:
            ast.copy_location(part, place)
    return tree


def name_of(text: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(text, ast.Load())
