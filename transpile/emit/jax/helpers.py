"""Functions that emitted modules call beside JAX's, copied from the texts of modules that hold them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

_IMPORTS = {
    "math": "import math",
    "string": "import string",
    "Sequence": "from collections.abc import Sequence",
    "partial": "from functools import partial",
    "Any": "from typing import Any, NamedTuple",
    "NamedTuple": "from typing import Any, NamedTuple",
    "Counter": "from collections import Counter",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "special": "from jax.scipy import special",
}
_STANDARD = frozenset({"math", "string", "Sequence", "partial", "Any", "NamedTuple", "Counter"})


class Helpers:
    """The functions, classes and constants of some modules' texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts: dict[str, str] = {}
        for text in texts:
            for node in ast.parse(text).body:
                for name in _bound(node):
                    self._texts.setdefault(name, ast.get_source_segment(text, node) or "")

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def text_of(self, names: Iterable[str]) -> list[str]:
        """The texts of these and of what they call, each once, in the order of the modules."""
        needed: set[str] = set()
        queue = [name for name in names if name in self._texts]
        while queue:
            name = queue.pop()
            if name not in needed:
                needed.add(name)
                queue += [read for read in names_in(self._texts[name]) if read in self._texts]
        return list(dict.fromkeys(text for name, text in self._texts.items() if name in needed))


def names_in(text: str) -> set[str]:
    """The names that a text reads, those of annotations too."""
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def imports_of(parts: Sequence[str]) -> str:
    """The imports that these texts need."""
    read = set().union(*map(names_in, parts))
    standard = sorted({line for name, line in _IMPORTS.items() if name in read & _STANDARD}, key=_order)
    others = [line for name, line in _IMPORTS.items() if name in read - _STANDARD]
    return "\n\n".join("\n".join(lines) for lines in (standard, others) if lines)


def _order(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
