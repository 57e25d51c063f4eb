"""The texts that an editor has open, and what lint says of them. Nothing here knows the protocol."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from .. import modules
from ..errors import UsageError
from ..lint.configuration.settings import Override
from ..lint.configuration.suppression import without_silenced
from ..lint.fixes.edits import Edit, Repair, edits, repairs
from ..lint.fixes.fixing import fix_source
from ..lint.frontend.modules import Program
from ..lint.linter import Known, lint_source

_NEWLINE = re.compile(r"\r\n|\r")


@dataclass
class Document:
    """An open text, all findings in it, and the names of the autograd functions that it has."""

    source: Source
    newline: str
    findings: list[Diagnostic]
    classes: frozenset[str]

    @cached_property
    def lines(self) -> list[str]:
        """The lines as the protocol counts them, without their ends."""
        return self.source.text.split("\n")


class Documents:
    """The open texts by path. An import of one of them leads to its open text, not to the file."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._program = Program(self._find, modules.mentioned)
        self._known: dict[str, Known] = {}
        self._imported: set[str] = set()

    def __getitem__(self, path: str) -> Document:
        return self._open[path]

    def __contains__(self, path: str) -> bool:
        return path in self._open

    @property
    def paths(self) -> list[str]:
        """The paths of the open texts."""
        return list(self._open)

    @property
    def program(self) -> Program:
        """The modules that were read, with the open texts in the place of their files."""
        return self._program

    def update(self, path: str, text: str) -> Document:
        """Lint the text that a file has in the editor now."""
        source = Source(path, _NEWLINE.sub("\n", text))
        self._program.replace(source)
        # What others import may change what is found in them; and in itself, where it imports one of them.
        known = Known() if path in self._imported else self._known.get(path, Known())
        self._known = {path: known}
        linted = lint_source(source, self._program, known)
        classes = frozenset(subject.name for subject in linted.subjects if subject.kind == "class")
        newline = "\r\n" if "\r\n" in text else "\n"
        self._open[path] = Document(source, newline, linted.findings, classes)
        return self._open[path]

    def close(self, path: str) -> None:
        """The file counts again, not the text."""
        self._open.pop(path, None)
        self.files_changed()

    def files_changed(self) -> None:
        """Files were written: read them anew."""
        modules.forget()
        self._program = Program(self._find, modules.mentioned)
        self._known, self._imported = {}, set()

    def shown(self, path: str) -> list[Diagnostic]:
        """The findings to show: of the selected codes, in this file, not silenced, with a severity."""
        return self._wanted(self._open[path].source, self._open[path].findings)

    def repairs(self, path: str, found: list[Diagnostic], unsafe: bool = False) -> list[Repair]:
        """The fixes of some of the findings, each as if it were the only one made."""
        document = self._open[path]
        return repairs(document.source, self._program, document.findings, unsafe, only=found)

    def all_fixed(self, path: str) -> tuple[Edit, ...]:
        """The edits that make every safe fix."""
        source = self._open[path].source
        fixed = fix_source(source, self._find, self._wanted, mentioned=modules.mentioned)
        return edits(source.text, fixed.text)

    def _wanted(self, source: Source, findings: list[Diagnostic]) -> list[Diagnostic]:
        here = [f for f in findings if f.severity != "info" and f.span.path == source.path]
        try:
            settings = Override().settings_for(Path(source.path))
        except UsageError:  # a configuration that is being written
            return without_silenced(here, source)
        return [] if settings.excludes(Path(source.path)) else without_silenced(settings.chosen(here), source)

    def _find(self, name: str, asker: str) -> Source | None:
        found = modules.find_module(name, asker)
        if found is not None:
            self._imported.add(found.path)
        return self._open[found.path].source if found is not None and found.path in self._open else found
