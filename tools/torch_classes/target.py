"""The classes that a file defines, found in its text and then imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pullback.transpile.ir import Source

from ..errors import CommandError
from ..lint.analyses.facts import ClassFacts
from ..loading import import_file, place_of
from .names import classes_of


@dataclass(frozen=True)
class Target:
    """A class or operator: what lint knows of it, what to call, and the namespace that its inputs may use."""

    source: Source
    facts: ClassFacts
    call: Callable[..., Any]
    namespace: dict[str, Any]

    @property
    def name(self) -> str:
        """The class's name."""
        return self.facts.name


def load_targets(source: Source, name: str | None) -> tuple[list[Target], list[str]]:
    """Import the file; its classes, or the one of this name, and why others cannot be run."""
    wanted = [facts for facts in classes_of(source) if name in (None, facts.name)]
    if not wanted:
        return [], []
    namespace = vars(import_as_module(source.path))
    found, left = [], []
    for facts in wanted:
        value = namespace.get(facts.name)
        call = getattr(value, "apply", None) if isinstance(value, type) else value
        if callable(call):
            found.append(Target(source, facts, call, namespace))
        else:
            left.append(f"{facts.name}: could not run: it is not defined at the top level of the file")
    return found, left


def import_as_module(path: str) -> Any:
    """Import a file: as a module of its package where it is in one, so that its own imports work.

    Raises `CommandError` with the place where importing fails.
    """
    file = Path(path).resolve()
    names = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        names.insert(0, folder.name)
        folder = folder.parent
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
