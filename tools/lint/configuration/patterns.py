"""File patterns, as ruff reads them: a name anywhere, or a path from the folder of the configuration."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from pathlib import Path


def matches(path: Path, patterns: Iterable[str], base: Path) -> bool:
    """True if a file, or a folder that it is in, matches one of the patterns.

    >>> here = Path.cwd()
    >>> matches(Path("src/made/f.py"), ["made"], here), matches(Path("src/f.py"), ["src/*.py"], here)
    (True, True)
    >>> matches(Path("src/f.py"), ["sr", "g.py"], here)
    False
    """
    whole = Path.cwd() / path
    candidates = [whole, *(parent for parent in whole.parents if base in parent.parents)]
    return any(_one(candidate, pattern.rstrip("/"), base) for pattern in patterns for candidate in candidates)


def _one(path: Path, pattern: str, base: Path) -> bool:
    return fnmatch.fnmatchcase(path.name, pattern) or fnmatch.fnmatchcase(str(path), str(base / pattern))
