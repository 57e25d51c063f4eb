"""Stand-ins for modules that a file imports and nobody has here: importing works, and using them raises."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

MOST = 40
Result = TypeVar("Result")
_importing: list[str] = []


class NotInstalledError(RuntimeError):
    """Something of a module that is not installed was used."""


class Absent:
    """Something of an absent module. While importing, it can be called, subscripted and derived from."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
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
            raise NotInstalledError(f"{self._name} is not installed")
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
    """The result of `load`, and the modules that it lacked; each gets a stand-in, and `load` runs again.

    A module whose absence the text itself handles stays absent. What `load` raises otherwise is raised.
    """
    with _standing_in() as finder:
        while True:
            try:
                return load(), finder.names
            except Exception as error:
                cause: BaseException | None = error
                while cause is not None and not isinstance(cause, ModuleNotFoundError):
                    cause = cause.__cause__
                if cause is None or not cause.name or cause.name in finder.names or len(finder.names) >= MOST:
                    raise
                finder.names.append(cause.name)


@contextmanager
def _standing_in() -> Iterator[_Finder]:
    finder = _Finder()
    sys.meta_path.append(finder)
    _importing.append("")
    try:
        yield finder
    finally:
        _importing.pop()
        sys.meta_path.remove(finder)
        for name, module in list(sys.modules.items()):
            if isinstance(module, AbsentModule):
                del sys.modules[name]
