"""Stand-ins for what a file imports and is missing here: importing works, and using it raises.

That is a module that is not installed, or a name that an installed one does not have.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from ..errors import CommandError

MOST = 40
Result = TypeVar("Result")
_importing: list[str] = []
_NO_NAME = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


class NotInstalledError(RuntimeError):
    """Something that is not there was used."""


class Absent:
    """Something that is not there. While importing, it can be called, subscripted and derived from."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(f"{self._name}.{name}: {self._name} is missing here")
        return Absent(f"{self._name}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Absent:
        return self._while_importing()

    def __getitem__(self, _: Any) -> Absent:
        return self._while_importing()

    def __or__(self, _: Any) -> Absent:
        return self._while_importing()

    __ror__ = __or__

    def __bool__(self) -> bool:
        self._while_importing()
        return False

    def __mro_entries__(self, _: Any) -> tuple[type, ...]:
        return ()

    def _while_importing(self) -> Absent:
        if not _importing:
            raise NotInstalledError(f"{self._name} is missing here")
        return self


class AbsentModule(types.ModuleType):
    """A module that is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__all__: list[str] = []

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of these names, and those below them."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for an absent module."""
        if any(fullname == name or fullname.startswith(f"{name}.") for name in self.names):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The module that stands in."""
        return AbsentModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """It has nothing to run."""


def without_absent(load: Callable[[], Result]) -> tuple[Result, list[str]]:
    """The result of `load`, and what it lacked; each gets a stand-in, and `load` runs again.

    What the text itself handles stays absent. What `load` raises otherwise is raised.
    """
    lacked: list[str] = []
    with _standing_in() as add:
        while True:
            try:
                return load(), lacked
            except Exception as error:
                missing = _missing(error)
                if missing is None or ".".join(missing) in lacked or len(lacked) >= MOST:
                    if lacked and isinstance(error, CommandError):
                        raise CommandError(f"{error}\n  help: missing here: {', '.join(lacked)}") from error
                    raise
                add(*missing)
                lacked.append(".".join(missing))


def _missing(error: BaseException | None) -> tuple[str, ...] | None:
    """The module that an error is about, or the module and the name that it does not have."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError):
            return (error.name,) if error.name else None
        found = _NO_NAME.match(str(error)) if isinstance(error, ImportError) else None
        if found is not None:
            return found[2], found[1]
        error = error.__cause__
    return None


@contextmanager
def _standing_in() -> Iterator[Callable[..., None]]:
    """A function that makes the stand-in of a module, or of a name in one. They go at the end."""
    finder = _Finder()
    sys.meta_path.append(finder)
    _importing.append("")
    names: list[tuple[types.ModuleType, str]] = []

    def add(module: str, name: str = "") -> None:
        if not name:
            finder.names.append(module)
        elif module in sys.modules:
            setattr(sys.modules[module], name, Absent(f"{module}.{name}"))
            names.append((sys.modules[module], name))

    try:
        yield add
    finally:
        _importing.pop()
        sys.meta_path.remove(finder)
        for holder, name in names:
            vars(holder).pop(name, None)
        for key, module in list(sys.modules.items()):
            if isinstance(module, AbsentModule):
                del sys.modules[key]
