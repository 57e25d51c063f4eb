"""From paths to findings: walk, leave out, scan, take from the cache or lint, select, silence."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source, Span

from ...errors import UsageError
from ...files import LeftOut, decode, python_files, read_bytes
from ...notebooks import SUFFIX, Notebook, read_notebook
from ...progress import Stepper, steps
from ..configuration.gitignore import GitIgnore
from ..configuration.settings import Override
from ..configuration.suppression import without_silenced
from ..fixes.edits import Repair
from ..linter import Subject, may_have_classes, may_have_formulas
from . import cache
from .cache import Outcome
from .dependencies import Modules
from .work import Crash, Task, lint_all, processes_for


@dataclass
class Request:
    """The files to lint, and how. `texts` has the texts of those that are not to be read from disk."""

    paths: Sequence[str]
    override: Override = field(default_factory=Override)
    jobs: int | None = None
    use_cache: bool = True
    force_exclude: bool = False
    repairs: bool = False
    texts: Mapping[str, bytes] = field(default_factory=dict)


@dataclass
class Report:
    """The findings, in the order of the files and of their text.

    `findings` has those of severity info too, `repairs` the fixes of those that have one, where the request
    asks for them. `unreadable` has a message for each path that could not be
    read, `crashes` the files in which we met a bug of ours. `texts` has the files with something in them,
    and of `notebooks` the cells.
    """

    files: int = 0
    formulas: int = 0
    classes: int = 0
    silenced: int = 0
    findings: list[Diagnostic] = field(default_factory=list)
    repairs: dict[Diagnostic, Repair] = field(default_factory=dict)
    subjects: list[Subject] = field(default_factory=list)
    texts: dict[str, bytes] = field(default_factory=dict)
    notebooks: dict[str, Notebook] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)

    def is_torch(self, finding: Diagnostic) -> bool:
        """True for a finding about a `torch.autograd.Function`, not about a formula."""
        return finding.name in self._torch

    @cached_property
    def _torch(self) -> set[str]:
        return {subject.name for subject in self.subjects if subject.kind == "class"}

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The text of each file that has a finding or a subject."""
        return {path: _text(path, data) for path, data in self.texts.items()}


class _File(NamedTuple):
    path: str
    data: bytes


def lint_paths(request: Request) -> Report:
    """Lint files and folders. Raises `UsageError` where the configuration is wrong.

    What is found depends neither on the cache nor on how many processes there are.
    """
    report = Report()
    with steps("lint", None) as step:
        tasks = [
            Task(number, file.path, file.data, request.repairs and file.path not in report.notebooks)
            for number, file in enumerate(_candidates(request, report, step))
        ]
    outcomes = _outcomes(tasks, request)
    for task in tasks:
        outcome = outcomes[task.number]
        if isinstance(outcome, Crash):
            report.crashes.append(outcome)
        else:
            _add(report, task, outcome, request.override)
    _into_cells(report)
    return report


def _candidates(request: Request, report: Report, step: Stepper) -> Iterator[_File]:
    """The files that may hold a derivative; all others cost this scan and no more."""
    seen: set[str] = set()
    for text in request.paths:
        for path, named in _walked(text, request, report):
            place = os.path.abspath(path)
            if place in seen:
                continue
            seen.add(place)
            excludes = request.override.settings_for(path).excludes
            if (not named or request.force_exclude) and excludes(path):
                continue
            step(str(path))
            data = request.texts[text] if text in request.texts else _bytes(path, report)
            report.files += data is not None
            if data is not None and (named or may_have_formulas(data) or may_have_classes(data)):
                yield _File(str(path), data)


def _walked(text: str, request: Request, report: Report) -> Iterator[tuple[Path, bool]]:
    if text in request.texts:
        yield Path(text), True
        return
    if text.endswith(SUFFIX) and Path(text).is_file():
        yield Path(text), True
        return
    try:
        yield from python_files([text], _ignored(text, request.override))
    except UsageError as error:
        report.unreadable.append(str(error))


def _ignored(root: str, override: Override) -> LeftOut:
    """Leaves out of a walk what git ignores, where the settings of the folder say so."""
    ignored = GitIgnore(Path(root))

    def leaves_out(folder: str, name: str, is_folder: bool) -> bool:
        if not ignored(folder, name, is_folder):
            return False
        return override.settings_for(Path(folder, name)).respect_gitignore

    return leaves_out


def _bytes(path: Path, report: Report) -> bytes | None:
    try:
        data = read_bytes(path)
        if path.suffix != SUFFIX:
            return data
        notebook = report.notebooks[str(path)] = read_notebook(str(path), data)
    except UsageError as error:
        report.unreadable.append(str(error))
        return None
    report.unreadable += notebook.broken
    return notebook.text.encode("utf-8", "replace")


def _outcomes(tasks: Sequence[Task], request: Request) -> dict[int, Outcome | Crash]:
    found: dict[int, Outcome | Crash] = {}
    keys: dict[int, str] = {}
    if request.use_cache:
        modules = Modules()
        keys = {task.number: cache.key_of(task.path, task.data, task.repairs) for task in tasks}
        for task in tasks:
            kept = cache.load(keys[task.number], modules)
            if kept is not None:
                found[task.number] = kept
    missing = [task for task in tasks if task.number not in found]
    with steps("lint", len(missing)) as step:
        for index, outcome in lint_all(missing, processes_for(len(missing), request.jobs)):
            step(tasks[index].path)
            found[index] = outcome
            if index in keys and isinstance(outcome, Outcome):
                cache.store(keys[index], outcome)
    return found


def _add(report: Report, task: Task, outcome: Outcome, override: Override) -> None:
    linted = outcome.linted
    report.repairs |= {linted.findings[repair.number]: repair for repair in outcome.repairs}
    report.formulas += linted.formulas
    report.classes += linted.classes
    report.subjects += linted.subjects
    if linted.findings or linted.subjects:
        report.texts[task.path] = task.data
    chosen = override.settings_for(Path(task.path)).chosen(linted.findings)
    left = chosen
    for path in {found.span.path for found in chosen}:  # a class may inherit from one in another file
        if path not in report.texts:
            report.texts[path] = _bytes(Path(path), report) or b""
        left = without_silenced(left, _text(path, report.texts[path]))
    report.silenced += len(chosen) - len(left)
    report.findings += left


def _into_cells(report: Report) -> None:
    """Give what is in notebooks its place in a cell."""
    if not report.notebooks:
        return

    def placed(span: Span) -> Span:
        notebook = report.notebooks.get(span.path)
        return notebook.place(span) if notebook is not None else span

    def located(found: Diagnostic) -> Diagnostic:
        notebook = report.notebooks.get(found.span.path)
        message = notebook.located(found.message, found.span) if notebook is not None else found.message
        return replace(found, span=placed(found.span), message=message)

    report.findings = [located(found) for found in report.findings]
    report.subjects = [subject._replace(span=placed(subject.span)) for subject in report.subjects]
    spans = [*(found.span for found in report.findings), *(subject.span for subject in report.subjects)]
    for path, notebook in report.notebooks.items():
        report.texts.pop(path, None)
        for cell in sorted({int(s.path.rpartition(":")[2]) for s in spans if s.path.startswith(f"{path}:")}):
            report.texts[f"{path}:{cell}"] = notebook.cell(cell).encode("utf-8", "replace")


def _text(path: str, data: bytes) -> Source:
    source = decode(Path(path), data)
    return Source(path, data.decode("latin-1")) if isinstance(source, Diagnostic) else source
