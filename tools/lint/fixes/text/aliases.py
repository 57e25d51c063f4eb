"""Names of a function that may share memory, once changes in place make new tensors."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .reading import root_of


class Aliases:
    """Pairs of names, by the assignments of a function."""

    def __init__(self, function: ast.FunctionDef, truth: Callable[[ast.expr], bool | None]) -> None:
        self._truth = truth
        self._pairs: set[tuple[str, str]] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                targets = {t.id for t in node.targets if isinstance(t, ast.Name)}
                for root in self._roots(node.value):
                    self._pairs |= {(target, root) for target in targets if target != root}

    def of(self, name: str) -> set[str]:
        """The other names that may share memory with it."""
        found, waiting = {name}, [name]
        while waiting:
            one = waiting.pop()
            near = {b for a, b in self._pairs if a == one} | {a for a, b in self._pairs if b == one}
            waiting += near - found
            found |= near
        return found - {name}

    def _roots(self, node: ast.expr) -> set[str]:
        if isinstance(node, ast.IfExp):
            known = self._truth(node.test)
            taken = [node.body, node.orelse] if known is None else [node.body if known else node.orelse]
            return {root for branch in taken for root in self._roots(branch)}
        root = root_of(node, written=False)
        return {root} if root else set()
