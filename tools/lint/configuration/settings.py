"""The table ``[tool.pullback.lint]`` of a ``pyproject.toml``: codes that count, and files."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pullback.transpile.diagnostics import Diagnostic

from ...errors import UsageError
from .patterns import matches
from .selection import is_on, wrong_prefix
from .toml_place import place_of

TABLE = "tool.pullback.lint"
KEYS = ("select", "ignore", "exclude", "per-file-ignores", "respect-gitignore")


@dataclass(frozen=True)
class Settings:
    """The files and codes that count. `base` is the folder that patterns start at."""

    base: Path = field(default_factory=Path.cwd)
    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    respect_gitignore: bool = True

    def excludes(self, path: Path) -> bool:
        """True if a file that a walk finds is left out."""
        return bool(self.exclude) and matches(path, self.exclude, self.base)

    def chosen(self, findings: Sequence[Diagnostic]) -> list[Diagnostic]:
        """The findings whose code is on, in the file that they are in."""
        here = {f.span.path for f in findings}
        off = {path: self._ignored_in(Path(path)) for path in here}
        return [f for f in findings if is_on(f.code, self.select, off[f.span.path])]

    def _ignored_in(self, path: Path) -> tuple[str, ...]:
        more = [codes for pattern, codes in self.per_file_ignores if self._pattern(path, pattern)]
        return sum(more, self.ignore)

    def _pattern(self, path: Path, pattern: str) -> bool:
        if pattern.startswith("!"):
            return not matches(path, [pattern[1:]], self.base)
        return matches(path, [pattern], self.base)


@dataclass(frozen=True)
class Override:
    """The options of the command line; None for one that is not given."""

    config: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    respect_gitignore: bool | None = None
    _nearest: dict[Path, Settings | None] = field(default_factory=dict, compare=False, repr=False)

    def settings_for(self, path: Path) -> Settings:
        """The settings of a file: the nearest configuration above it, then the command line's."""
        settings = self._configured(Path(os.path.abspath(path)).parent) or Settings()
        if self.select is not None:
            settings = replace(settings, select=self.select)
        if self.ignore is not None:
            settings = replace(settings, ignore=self.ignore)
        if self.respect_gitignore is not None:
            settings = replace(settings, respect_gitignore=self.respect_gitignore)
        if self.exclude is not None:  # patterns of a command line start where it is called
            settings = replace(
                settings, exclude=tuple(str(Path.cwd() / p) if "/" in p else p for p in self.exclude)
            )
        return settings

    def _configured(self, folder: Path) -> Settings | None:
        """The configuration for the files of a folder; each is read once."""
        place = self.config or folder
        if place not in self._nearest:
            self._nearest[place] = self._read_for(folder)
        return self._nearest[place]

    def _read_for(self, folder: Path) -> Settings | None:
        if self.config is not None:
            return _read(self.config, required=True)
        file = folder / "pyproject.toml"
        found = _read(file, required=False) if file.is_file() else None
        if found is not None or folder.parent == folder:
            return found
        return self._configured(folder.parent)


def codes_of(text: str) -> tuple[str, ...]:
    """The codes of a comma-separated option. Raises `UsageError` for one that no rule has."""
    codes = tuple(part for part in re.split(r"[,\s]+", text) if part)
    for code in codes:
        wrong = wrong_prefix(code)
        if wrong:
            raise UsageError(wrong)
    return codes


def _read(file: Path, required: bool) -> Settings | None:
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: is not UTF-8") from error
    if not required and "pullback" not in text:
        return None
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_syntax_error(file, str(error))) from error
    for key in TABLE.split("."):
        if not isinstance(table, dict):
            raise UsageError(f"{file}:1:1: [{TABLE}] is not a table")
        table = table.get(key, {} if required else None)
        if table is None:
            return None
    return _Reader(file, text).settings(table)


def _syntax_error(file: Path, message: str) -> str:
    where = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    place = f":{where[1]}:{where[2]}" if where and where[1] else ""
    return f"{file}{place}: {message[: where.start()] if where else message}"


class _Reader:
    """Turns a table into settings; what is wrong is a `UsageError` with its place."""

    def __init__(self, file: Path, text: str) -> None:
        self.file, self.text = file, text

    def settings(self, table: Any) -> Settings:
        if not isinstance(table, dict):
            raise self._wrong(f"[{TABLE}] is not a table")
        for key in table:
            if key not in KEYS:
                close = get_close_matches(key, KEYS, n=1)
                guess = f"did you mean {close[0]}?" if close else f"there are {', '.join(KEYS)}"
                raise self._wrong(f"unknown key {key!r} in [{TABLE}]; {guess}", key)
        ignores = table.get("per-file-ignores", {})
        if not isinstance(ignores, dict):
            raise self._wrong(
                "per-file-ignores is a table of patterns and lists of codes", "per-file-ignores"
            )
        return Settings(
            (Path.cwd() / self.file).parent,
            self._codes(table, "select", ("ALL",)),
            self._codes(table, "ignore", ()),
            self._strings(table, "exclude", ()),
            tuple((pattern, self._codes(ignores, pattern, ())) for pattern in ignores),
            self._flag(table, "respect-gitignore"),
        )

    def _flag(self, table: dict[str, Any], key: str) -> bool:
        value = table.get(key, True)
        if not isinstance(value, bool):
            raise self._wrong(f"{key} is true or false, not {value!r}", key)
        return value

    def _codes(self, table: dict[str, Any], key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        codes = self._strings(table, key, default)
        for code in codes:
            wrong = wrong_prefix(code)
            if wrong:
                raise self._wrong(wrong, key, code)
        return codes

    def _strings(self, table: dict[str, Any], key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = table.get(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise self._wrong(f"{key} is a list of strings, not {value!r}", key)
        return tuple(value)

    def _wrong(self, message: str, key: str | None = None, value: str | None = None) -> UsageError:
        tables = [TABLE, f"{TABLE}.per-file-ignores"] if key not in KEYS else [TABLE]
        places = [place_of(self.text, table, key, value) for table in tables]
        line, column = max(places)
        return UsageError(f"{self.file}:{line}:{column}: {message}")
