"""The place of a fix: the file, a class in it, and a finding about the class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pullback.transpile.diagnostics import Diagnostic

from ...analyses.facts import ClassFacts
from ...frontend.modules import Dotted, TorchModule
from .splices import CannotFix, Text


@dataclass(frozen=True)
class Place:
    """The file, a class in it, and a finding about the class."""

    text: Text
    module: TorchModule
    facts: ClassFacts
    finding: Diagnostic

    def function_at(self, line: int) -> ast.FunctionDef:
        """The innermost function of the file around a line."""
        found = [node for node in _around(self.module.tree, line) if isinstance(node, ast.FunctionDef)]
        if not found:
            raise CannotFix("no function stands there")
        return max(found, key=lambda node: node.lineno)

    @property
    def backward(self) -> ast.FunctionDef:
        """The backward of the class; `CannotFix` where it stands in another file."""
        method = self.facts.backward.method
        if method.owner.module.source.path != self.module.source.path:
            raise CannotFix("the backward stands in another file")
        return self.function_at(method.node.lineno)

    def owner(self, function: ast.FunctionDef) -> ast.ClassDef | None:
        """The class of the file that a method stands in; None for a function."""
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.ClassDef) and any(item is function for item in node.body):
                return node
        return None

    def path_of(self, owner: ast.ClassDef) -> str:
        """``Outer.Scaled``, by which the methods of a class that stands in another one know it."""
        names: list[str] = []
        for node in _around(self.module.tree, owner.lineno):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names.clear()
            elif isinstance(node, ast.ClassDef):
                names.append(node.name)
            if node is owner:
                break
        return ".".join(names)

    def torch(self) -> str:
        """The name of the module ``torch`` in the file, which is imported where it is not."""
        for name, entity in self.module.names.items():
            if isinstance(entity, Dotted) and entity.name == "torch":
                return name
        self.import_("import torch")
        return "torch"

    def import_(self, line: str) -> None:
        """Put an import after the file's first ones."""
        imports = [s for s in self.module.tree.body if isinstance(s, ast.Import | ast.ImportFrom)]
        if not imports:
            raise CannotFix("the file imports nothing")
        plain = [s for s in imports if not (isinstance(s, ast.ImportFrom) and s.module == "__future__")]
        if plain:
            self.text.before(plain[0], [line])
        else:
            self.text.after(imports[-1], ["", line])


def _around(node: ast.AST, line: int) -> Iterator[ast.AST]:
    """The nodes of a tree around a line, outer ones first, also below parts without a place of their own."""
    for child in ast.iter_child_nodes(node):
        start = getattr(child, "lineno", line)
        if start <= line <= (getattr(child, "end_lineno", None) or line):
            yield child
            yield from _around(child, line)


def names_in(node: ast.AST) -> set[str]:
    """All names in a piece of program, and the parameters of functions in it."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return found | {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}


def unused(name: str, taken: set[str]) -> str:
    """The name, or with a number where it is taken."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def body_of(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function after its docstring."""
    body = function.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    rest = body[1:] if documented else body
    if not rest:
        raise CannotFix(f"`{function.name}` is empty")
    return rest
