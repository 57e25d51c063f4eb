"""The smallest program that still fails: statements are left out as long as it does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator


def shrunk(text: str, fails: Callable[[str], bool]) -> str:
    """A program of which no statement can be left out, nor a block replaced by what it holds.

    >>> print(shrunk("a = 1\\nif a:\\n    b = 2\\nc = 3", lambda text: "b = 2" in text))
    b = 2
    """
    while True:
        smaller = next((each for each in _smaller(text) if fails(each)), None)
        if smaller is None:
            return text
        text = smaller


def _smaller(text: str) -> Iterator[str]:
    """Programs with one statement less, the last ones first."""
    count = sum(1 for _ in _bodies(ast.parse(text)))
    for place in range(count):
        length = len(list(_bodies(ast.parse(text)))[place])
        for position in reversed(range(length)):
            for held in (None, "body", "orelse"):
                tree = ast.parse(text)
                body = list(_bodies(tree))[place]
                inner = [] if held is None else getattr(body[position], held, [])
                if isinstance(body[position], ast.FunctionDef) or (held is not None and not inner):
                    continue
                body[position : position + 1] = inner
                if body:
                    yield ast.unparse(tree)


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body:
                yield body
