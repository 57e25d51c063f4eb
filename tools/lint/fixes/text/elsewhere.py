"""Other files that run a function of a class, without those that belong to it: they do not change with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePath

from .place import Place
from .splices import CannotFix


def check_elsewhere(place: Place, function: ast.FunctionDef, together: tuple[ast.FunctionDef, ...]) -> None:
    """Raise `CannotFix` where another file runs a function, and not all that are changed `together`.

    A class there that inherits from this one and has a method of its own in the place of one of them, what
    calls one of them by its class, and what uses a helper. Names alone tell: nothing follows what they mean.
    """
    owner = place.owner(function)
    word = owner.name if owner is not None else function.name
    methods = {one.name for one in together}
    for source in place.module.program.mentioned(word, place.module.source.path):
        try:
            tree = ast.parse(source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        uses = _Uses(word, owner is not None, methods, tree)
        if any(map(uses.runs, ast.walk(tree))):
            said = f"{word}.{function.name}" if owner is not None else word
            raise CannotFix(f"`{PurePath(source.path).name}` uses `{said}`")


class _Uses:
    """The uses of a class or a helper in another file, by the names that it imports."""

    def __init__(self, word: str, is_class: bool, methods: set[str], tree: ast.Module) -> None:
        self._word, self._is_class, self._methods = word, is_class, methods
        self._names: set[str] = set()
        self._modules: set[str] = set()
        defined = any(isinstance(s, ast.ClassDef | ast.FunctionDef) and s.name == word for s in tree.body)
        for node in ast.walk(tree):
            for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                name = (alias.asname or alias.name).partition(".")[0]
                self._modules.add(name)
                if isinstance(node, ast.ImportFrom) and alias.name == word:
                    self._names.add(name)
                if alias.name == "*" and not defined:
                    self._names.add(word)

    def runs(self, node: ast.AST) -> bool:
        """True for a piece of program that runs some of the methods of the class, or the helper."""
        match node:
            case ast.ClassDef(bases=bases, body=body) if self._is_class and any(map(self._is, bases)):
                return bool(self._methods & set(_defined(body)))
            case ast.Attribute(value=value, attr=attr, ctx=ast.Load()) if self._is_class:
                return attr in self._methods and self._is(value)
            case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()) if not self._is_class:
                return self._is(node)
        return False

    def _is(self, node: ast.expr) -> bool:
        """True for ``Scaled``, where it is imported, and ``scaling.Scaled``, where that is."""
        match node:
            case ast.Name(id=found):
                return found in self._names
            case ast.Attribute(value=value, attr=found) if found == self._word:
                while isinstance(value, ast.Attribute):
                    value = value.value
                return isinstance(value, ast.Name) and value.id in self._modules
        return False


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    """The names that a class has of its own."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
