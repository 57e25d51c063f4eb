"""The classes that a file defines, found in its text and then imported."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pullback.transpile.ir import Source

from ..errors import CommandError
from ..lint.analyses.facts import ClassFacts
from ..loading import import_file, place_of
from .absent import without_absent
from .names import classes_of


@dataclass(frozen=True)
class Target:
    """A class or operator: what lint knows of it, what to call, and the namespace that its inputs may use.

    `absent`: what its file imports and is missing here; what uses it raises.
    """

    source: Source
    facts: ClassFacts
    call: Callable[..., Any]
    namespace: dict[str, Any]
    absent: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The class's name."""
        return self.facts.name


def load_targets(source: Source, name: str | None) -> tuple[list[Target], list[str]]:
    """Import the file; its classes, or the one of this name, and why others cannot be run.

    What it imports and is missing here is left out: importing works, using it raises.
    """
    wanted = [facts for facts in classes_of(source) if name in (None, facts.name)]
    if not wanted:
        return [], []
    module, missing = _imported(source.path)
    namespace = vars(module)
    found: list[Target] = []
    left: list[str] = []
    for facts in wanted:
        value = namespace.get(facts.name)
        call = getattr(value, "apply", None) if isinstance(value, type) else value
        if callable(call):
            found.append(Target(source, facts, call, namespace, tuple(missing)))
        else:
            left.append(f"{facts.name}: could not run: it is not defined at the top level of the file")
    return found, left


def _imported(path: str) -> tuple[Any, list[str]]:
    """The module of a file, and what was left out.

    Where its packages fail to import, they are entered without running them: the file may need less.
    """
    try:
        return without_absent(lambda: import_as_module(path))
    except CommandError:
        folder, names = _package_of(path)
        if len(names) == 1:
            raise
        for count in range(1, len(names)):
            bare = types.ModuleType(".".join(names[:count]))
            bare.__path__ = [str(folder.joinpath(*names[:count]))]
            sys.modules.setdefault(bare.__name__, bare)
        return without_absent(lambda: import_as_module(path))


def _package_of(path: str) -> tuple[Path, list[str]]:
    """The folder that holds the file's outermost package, and the parts of its dotted name."""
    file = Path(path).resolve()
    names = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        names.insert(0, folder.name)
        folder = folder.parent
    return folder, names


def import_as_module(path: str) -> Any:
    """Import a file: as a module of its package where it is in one, so that its own imports work.

    Raises `CommandError` with the place where importing fails.
    """
    file = Path(path).resolve()
    folder, names = _package_of(path)
    if len(names) == 1 and folder == file.parent:
        return import_file(path)
    sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(".".join(names))
    except (Exception, SystemExit) as error:  # a stranger's file may do anything
        raise CommandError(f"{place_of(path, error)}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(folder))
    found = getattr(module, "__file__", None)
    if found is None or Path(found).resolve() != file:
        raise CommandError(f"{path}: another module of its name is imported already: {found}")
    return module
