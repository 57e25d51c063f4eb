"""The files of the modules that a linted file imports: in its package, beside it, or among installed ones."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from .errors import UsageError
from .files import decode, read_bytes


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
    _is_file.cache_clear()
    _root.cache_clear()


@cache
def _is_file(path: Path) -> bool:
    return path.is_file()


@cache
def _root(folder: Path) -> Path:
    """The nearest folder above that is no package."""
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder
