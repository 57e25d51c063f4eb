"""Files that git ignores: by .gitignore in their folder and those above it, up to the repository's root."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class _Patterns(NamedTuple):
    """The patterns of one file, and the folder that they start at, with a separator at its end."""

    base: str
    spec: GitIgnoreSpec


class GitIgnore:
    """The files and folders below `root` that git ignores.

    Where no repository is, the .gitignore files below `root` count. Where git ignores `root` itself, it was
    named all the same, and what lies above it says nothing about the files in it.
    """

    def __init__(self, root: Path) -> None:
        root = Path(os.path.abspath(root))
        self._below: dict[str, tuple[_Patterns, ...]] = {}
        above = _above(root)
        found: tuple[_Patterns, ...] = ()
        for folder in above:
            found += _patterns(folder)
        self._below[str(root.parent)] = () if _ignored(found, f"{root}/") else found

    def __call__(self, folder: str | Path, name: str, is_folder: bool = False) -> bool:
        """True if git ignores the file or folder `name` in `folder`, which is `root` or lies below it."""
        patterns = self._in(os.path.abspath(folder))
        return bool(patterns) and _ignored(patterns, f"{os.path.abspath(folder)}/{name}{'/' * is_folder}")

    def _in(self, folder: str) -> tuple[_Patterns, ...]:
        if folder not in self._below:
            self._below[folder] = self._in(os.path.dirname(folder)) + _patterns(Path(folder))
        return self._below[folder]


def _above(root: Path) -> Sequence[Path]:
    """The folders from the repository's root to the one above `root`, the outermost first."""
    if (root / ".git").exists():
        return ()
    above = list(root.parents)
    top = next((place for place, folder in enumerate(above) if (folder / ".git").exists()), -1)
    return above[top::-1] if top >= 0 else ()


def _patterns(folder: Path) -> tuple[_Patterns, ...]:
    found = []
    for file in (folder / ".git" / "info" / "exclude", folder / ".gitignore"):
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        if any(line.strip() and not line.startswith("#") for line in lines):
            from pathspec import GitIgnoreSpec  # where there is none, a walk costs no import

            found.append(_Patterns(os.path.join(folder, ""), GitIgnoreSpec.from_lines(lines)))
    return tuple(found)


def _ignored(patterns: Sequence[_Patterns], path: str) -> bool:
    """The innermost file that has a pattern for the path decides."""
    for base, spec in reversed(patterns):
        included = spec.check_file(path[len(base) :]).include
        if included is not None:
            return included
    return False
