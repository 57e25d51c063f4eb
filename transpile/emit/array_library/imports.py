"""The import lines at the head of a module."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable


def import_block(lines: Iterable[str]) -> str:
    """Imports in groups, the standard library's before those of other packages.

    >>> print(import_block(["import torch", "from functools import partial", "import math"]))
    import math
    from functools import partial
    <BLANKLINE>
    import torch
    """
    groups: dict[int, list[tuple[bool, str]]] = {}
    for line in dict.fromkeys(lines):
        (node,) = ast.parse(line).body
        assert isinstance(node, ast.Import | ast.ImportFrom)
        module = node.module or "" if isinstance(node, ast.ImportFrom) else node.names[0].name
        root = module.partition(".")[0]
        group = 0 if root == "__future__" else 1 if root in sys.stdlib_module_names else 2
        groups.setdefault(group, []).append((isinstance(node, ast.ImportFrom), line))
    return "\n\n".join("\n".join(line for _, line in sorted(groups[group])) for group in sorted(groups))
