"""Functions that an array library has no equal of, as text to be put before what calls them.

Nothing of them is run here. A module of helpers is plain Python over the library; each function or class
that emitted text calls is copied with those that it calls itself, without the examples of its docstring.
In emitted text a helper's name begins with an underscore, so that no formula or variable has it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from ..layout import statement_text


@dataclass(frozen=True)
class Helpers:
    """The texts of modules of helpers."""

    texts: tuple[str, ...]

    @classmethod
    @cache
    def of_folder(cls, folder: Path) -> Helpers:
        """Those in the modules of a folder."""
        return cls(tuple(path.read_text(encoding="utf-8") for path in sorted(folder.glob("[!_]*.py"))))

    @cached_property
    def _definitions(self) -> Mapping[str, ast.stmt]:
        """Functions, classes and constants by name, in the order of the texts."""
        found: dict[str, ast.stmt] = {}
        for text in self.texts:
            for node in ast.parse(text).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    found[node.name] = node
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    found[node.targets[0].id] = node
        return found

    @cached_property
    def _read(self) -> Mapping[str, frozenset[str]]:
        """The names that each definition reads or writes."""
        return {name: frozenset(names_in(node)) for name, node in self._definitions.items()}

    @cached_property
    def _imports(self) -> Mapping[str, str]:
        """Import lines of other packages by the name that they bind."""
        found: dict[str, str] = {}
        for text in self.texts:
            for node in ast.parse(text).body:
                if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and _is_other(node)):
                    for alias in node.names:
                        single = (
                            ast.Import([alias])
                            if isinstance(node, ast.Import)
                            else ast.ImportFrom(node.module, [alias], 0)
                        )
                        found[alias.asname or alias.name.split(".")[0]] = ast.unparse(single)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(self._definitions.get(str(name)), ast.FunctionDef)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that the helpers have in emitted text."""
        return frozenset(map(private, self._definitions))

    def needed(self, used: Iterable[str]) -> tuple[str, ...]:
        """The helpers among these names of emitted text and those that they call, in order."""
        reached: set[str] = set()
        queue = [name[1:] for name in used if name[:1] == "_" and name[1:] in self._definitions]
        while queue:
            name = queue.pop()
            if name not in reached:
                reached.add(name)
                queue += [other for other in self._read[name] if other in self._definitions]
        return tuple(name for name in self._definitions if name in reached)

    def text(self, names: Sequence[str], width: int) -> str:
        """The definitions of these, two empty lines between them."""
        return "\n\n\n".join(_text_of(self, name, width) for name in names)

    def imports(self, names: Iterable[str], used: Iterable[str]) -> tuple[str, ...]:
        """The import lines for these helpers and for what else uses imported names."""
        read = set(used).union(*(self._read[name] for name in names))
        whole = {line for name, line in self._imports.items() if name in read and " import " not in line}
        parts: dict[str, list[str]] = {}
        for name, line in self._imports.items():
            if name in read and " import " in line:
                module, _, taken = line.partition(" import ")
                parts.setdefault(module, []).append(taken)
        return tuple(
            sorted([*whole, *(f"{module} import {', '.join(sorted(t))}" for module, t in parts.items())])
        )


def _is_other(node: ast.ImportFrom) -> bool:
    """True for an import of another package: what helpers take from this one is copied with them."""
    return not node.level and (node.module or "").partition(".")[0] != "pullback"


@cache
def _text_of(helpers: Helpers, name: str, width: int) -> str:
    """A helper as emitted: laying it out takes most of the time in which a small formula is converted."""
    node = _copy(helpers._definitions[name])
    return _spaced(statement_text(_Private(helpers._definitions).visit(node), width))


def _spaced(text: str) -> str:
    """The text of a class with an empty line behind its docstring."""
    head, _, rest = text.partition('"""\n')
    return f'{head}"""\n\n{rest.lstrip(chr(10))}' if text.startswith("class ") else text


def names_in(node: ast.AST) -> set[str]:
    """All names that a piece of text reads or writes."""
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _copy(node: ast.stmt) -> ast.stmt:
    """The definition with the first paragraph of its docstring."""
    copy = ast.parse(ast.unparse(node)).body[0]
    if isinstance(copy, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(copy) is not None:
        first = (ast.get_docstring(copy) or "").split("\n\n")[0].split("\n>>>")[0]
        copy.body[0] = ast.Expr(ast.Constant(first))
    return copy


class _Private(ast.NodeTransformer):
    """Puts an underscore before the names of helpers, where a function has no variable of that name."""

    def __init__(self, helpers: Mapping[str, ast.stmt], own: frozenset[str] = frozenset()) -> None:
        self._helpers = helpers
        self._own = own

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(private(node.id), node.ctx) if self._is_helper(node.id) else node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = private(node.name)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if self._is_helper(node.name):
            node.name = private(node.name)
        children = list(ast.walk(node))
        own = {child.arg for child in children if isinstance(child, ast.arg)}
        own |= {c.id for c in children if isinstance(c, ast.Name) and isinstance(c.ctx, ast.Store)}
        inner = _Private(self._helpers, self._own | own)
        node.body = [inner.visit(statement) for statement in node.body]
        node.args = self.visit(node.args)
        node.returns = None if node.returns is None else self.visit(node.returns)
        return node

    def _is_helper(self, name: str) -> bool:
        return name in self._helpers and name not in self._own


def private(helper: str) -> str:
    """A helper's name in emitted text."""
    return f"_{helper}"
