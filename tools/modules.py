"""The files of the modules that a linted file imports, and those that may import it.

The former are in its package, beside it, or among installed ones; the latter in its package or project.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from .errors import UsageError
from .files import SKIPPED_FOLDERS, decode, read_bytes

# What a folder holds that is the root of a project.
PROJECT = (".git", "pyproject.toml", "setup.py", "setup.cfg")


def find_module(name: str, asker: str) -> Source | None:
    """The text of the module ``name``, as the file `asker` would import it; None where it isn't at hand.

    Relative names start at the file's folder, absolute ones at the folder that holds its package, then at
    the folders of installed packages. Nothing is imported.
    """
    folder = Path(asker).parent
    dots = len(name) - len(name.lstrip("."))
    for _ in range(dots - 1):
        folder = folder.parent
    bases = [folder] if dots else [_root(folder), *_installed()]
    for base in bases:
        target = base.joinpath(*[part for part in name.split(".") if part])
        for path in (target.parent / f"{target.name}.py", target / "__init__.py"):
            if _is_file(path):
                return _read(path)
    return None


def mentioned(word: str, path: str) -> Iterator[Source]:
    """The texts of other files that hold a word, and may take what a file defines.

    Those of its package and of the project around it, that have a forward or a backward; where there is
    neither a package nor a project, those beside it.
    """
    own = Path(path).resolve()
    if not _is_file(own):
        return
    pattern = re.compile(rb"\b" + re.escape(word.encode()) + rb"\b")
    for other in dict.fromkeys(file for folder in _around(own.parent) for file in _with_methods(*folder)):
        if other == own:
            continue
        try:
            data = read_bytes(other)
        except UsageError:
            continue
        source = decode(other, data) if pattern.search(data) else None
        if isinstance(source, Source):
            yield source


def _around(folder: Path) -> list[tuple[Path, bool]]:
    """The folders to look in for what uses a file, each with whether folders in it count."""
    root = _root(folder)
    package = next((one for one in (folder, *folder.parents) if one.parent == root and one != root), None)
    project = next((one for one in (folder, *folder.parents) if _is_project(one)), None)
    found = [(one, True) for one in (package, project) if one is not None]
    return found or [(folder, False)]


@cache
def _is_project(folder: Path) -> bool:
    return any((folder / name).exists() for name in PROJECT)


@cache
def _with_methods(folder: Path, deep: bool) -> tuple[Path, ...]:
    """The Python files of a folder in which a word ends like ``forward``."""
    found = []
    for here, folders, names in os.walk(folder):
        kept = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")]
        folders[:] = kept if deep else []
        for file in (Path(here, name) for name in names if name.endswith(".py")):
            try:
                if b"ward" in file.read_bytes():
                    found.append(file)
            except OSError:
                continue
    return tuple(found)


def _installed() -> list[Path]:
    """The folders of installed packages; the standard library is not among them."""
    return [Path(entry) for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]


def _read(path: Path) -> Source | None:
    try:
        found = decode(path, read_bytes(path))
    except UsageError:
        return None
    return None if isinstance(found, Diagnostic) else found


def forget() -> None:
    """Look again where files are: some were made or removed."""
    for found in (_is_file, _root, _is_project, _with_methods):
        found.cache_clear()


@cache
def _is_file(path: Path) -> bool:
    return path.is_file()


@cache
def _root(folder: Path) -> Path:
    """The nearest folder above that is no package."""
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder
