"""Bindings of a module's top level, from its text alone."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import Source
from ..syntax.text import too_deep
from .bindings import Binding, Names
from .constants import fold_node


def static_bindings(
    tree: ast.Module, source: Source, formulas: Callable[[str], Binding | None]
) -> tuple[dict[str, Binding], Names]:
    """Bindings of a module's top level, from its text alone: nothing is imported or run.

    The mapping may be extended afterwards (with the module's formulas); the names see that.
    """
    bindings: dict[str, Binding] = {}
    names = Names(bindings.get, formulas)
    for node in _top_level(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            bindings |= imported(node)
        elif isinstance(node, ast.FunctionDef):
            bindings[node.name] = Binding.helper(node.name, source, names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            _bind_assignment(node, bindings, names)
        elif isinstance(node, ast.ClassDef | ast.AsyncFunctionDef):
            bindings[node.name] = Binding.unknown(
                "a class" if isinstance(node, ast.ClassDef) else "an async function"
            )
    return bindings, names


def imported(node: ast.Import | ast.ImportFrom) -> dict[str, Binding]:
    """The names that an import binds, with the full names of what they stand for."""
    found: dict[str, Binding] = {}
    for alias in node.names:
        if isinstance(node, ast.Import):
            full = alias.name if alias.asname else alias.name.partition(".")[0]
            found[alias.asname or full] = Binding.dotted(full)
        else:
            module = "." * node.level + (node.module or "")
            found[alias.asname or alias.name] = Binding.dotted(f"{module}.{alias.name}")
    return found


def imported_inside(node: ast.AST) -> dict[str, Binding]:
    """The names that a function imports of the modules that a formula may use."""
    found: dict[str, Binding] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import | ast.ImportFrom):
            every = imported(inner).items()
            found |= {name: made for name, made in every if made.name.partition(".")[0] in _MODULES}
    return found


def with_imports(names: Names, inside: dict[str, Binding]) -> Names:
    """Names in which those that a function imports are known."""
    return Names(lambda name: inside.get(name) or names.find(name), names.formulas) if inside else names


_MODULES = frozenset({"numpy", "scipy", "math", "functools", "itertools", "operator", "pullback"})


def _bind_assignment(
    node: ast.Assign | ast.AnnAssign | ast.AugAssign, bindings: dict[str, Binding], names: Names
) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            if node.value is None:
                continue
            again = target.id in bindings
            folds = not isinstance(node, ast.AugAssign) and too_deep(node.value) is None
            literal = fold_node(node.value, names) if folds else None
            if again:
                bindings[target.id] = Binding.unknown("a module-level name that is assigned more than once")
            elif literal is not None:
                bindings[target.id] = Binding("constant", literal=literal)
            else:
                bindings[target.id] = Binding.unknown("a module-level object that may change")
        elif isinstance(target, ast.Tuple | ast.List):
            for item in ast.walk(target):
                if isinstance(item, ast.Name):
                    bindings[item.id] = Binding.unknown("a module-level object that may change")


def _top_level(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of a module, with those under `if` and `try` (guarded imports)."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.If):
            found += _top_level(node.body) + _top_level(node.orelse)
        elif isinstance(node, ast.Try):
            found += _top_level(node.body) + _top_level([s for h in node.handlers for s in h.body])
            found += _top_level(node.orelse) + _top_level(node.finalbody)
        elif isinstance(node, ast.With):
            found += _top_level(node.body)
        else:
            found.append(node)
    return found
