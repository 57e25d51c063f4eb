"""Expressions of a function that are made of sizes and numbers, and so are no tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator


class Plain:
    """The known properties of the names of a function, or of some lines.

    >>> plain = Plain(ast.parse("n = x.shape[0]\\nn += 1\\ny = x * n"))
    >>> plain.is_plain(ast.parse("n + 1", mode="eval").body), plain.is_plain(ast.parse("y", mode="eval").body)
    (True, False)
    """

    def __init__(self, tree: ast.AST) -> None:
        self._values: dict[str, list[ast.expr | None]] = {}
        seen: set[int] = set()
        for node in ast.walk(tree):
            for target, value in _assigned(node):
                seen.add(id(target))
                self._values.setdefault(target.id, []).append(value)
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                self._values.setdefault(node.arg, []).append(None)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in seen:
                self._values.setdefault(node.id, []).append(None)
        self._asked: set[str] = set()

    def is_plain(self, node: ast.expr) -> bool:
        """True if an expression is made of nothing but sizes and numbers."""
        match node:
            case ast.Constant() | ast.Attribute(attr="shape" | "ndim"):
                return True
            case ast.Call(func=ast.Attribute(attr="size" | "dim") | ast.Name(id="len" | "range")):
                return True
            case ast.Subscript(value=value) | ast.UnaryOp(operand=value):
                return self.is_plain(value)
            case ast.BinOp(left=left, right=right):
                return self.is_plain(left) and self.is_plain(right)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return all(map(self.is_plain, parts))
            case ast.Name(id=name):
                return self._is_plain_name(name)
        return False

    def _is_plain_name(self, name: str) -> bool:
        if name in self._asked:  # it is what its other values are
            return True
        values = self._values.get(name, [None])
        self._asked.add(name)
        try:
            return all(value is not None and self.is_plain(value) for value in values)
        finally:
            self._asked.discard(name)


def _assigned(node: ast.AST) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that a statement binds to a value, or to elements of one."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from ((name, value) for name in _names(target))
        case ast.AugAssign(target=ast.Name() as name, value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name() as name, value=ast.expr() as value):
            yield name, value
        case ast.For(target=target, iter=value):
            yield from ((name, value) for name in _names(target))


def _names(target: ast.expr) -> Iterator[ast.Name]:
    match target:
        case ast.Name():
            yield target
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _names(part)
