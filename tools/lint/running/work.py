"""Lint many texts, in this process or in several: what is found depends on neither."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.processors import processors

from ...files import decode
from ..fixes.edits import repairs
from ..linter import Linted, lint_source
from .cache import Outcome
from .dependencies import Modules, TrackedProgram

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

# Below so many files for each, starting another process costs more than it saves.
WORTH_A_PROCESS = 64
# Files that stand beside each other share the modules that they import.
CHUNK = 8
# Parsed modules are kept for the next file, up to this many.
KEPT_MODULES = 400
# Syntax trees are many objects that stay: looking for cycles among them as often as usual is half the time.
COLLECTED = (20_000, 20, 50)


class Task(NamedTuple):
    """A file to lint. `number` is its place in the order of the results; `repairs` asks for its fixes too."""

    number: int
    path: str
    data: bytes
    repairs: bool = False


class Crash(NamedTuple):
    """A bug of ours, met in one file; the others are linted all the same."""

    path: str
    message: str


Result = tuple[int, Outcome | Crash]


def processes_for(tasks: int, asked: int | None) -> int:
    """The number of processes for so many files: as asked for, else as many as are worth it."""
    if asked is not None:
        return max(1, min(asked, tasks))
    return max(1, min(processors(), tasks // WORTH_A_PROCESS))


def lint_all(tasks: Sequence[Task], processes: int) -> Generator[Result]:
    """The outcome of each task, as they come: with several processes in no order.

    Where the caller stops before the end, the processes are ended, whatever they are at.
    """
    if processes == 1:
        worker, before = Worker(), gc.get_threshold()
        gc.set_threshold(*COLLECTED)
        try:
            yield from (worker.lint(task) for task in tasks)
        finally:
            gc.set_threshold(*before)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import active_children

    others = set(active_children())
    chunks = [tasks[start : start + CHUNK] for start in range(0, len(tasks), CHUNK)]
    with ProcessPoolExecutor(processes, mp_context=_context()) as pool:
        try:
            for future in as_completed([pool.submit(_lint_chunk, chunk) for chunk in chunks]):
                yield from future.result()
        except BaseException:
            for process in set(active_children()) - others:
                process.terminate()
            raise


class Worker:
    """Lints one file after the other and keeps the modules that they import."""

    def __init__(self) -> None:
        self._modules = Modules()
        self._program = TrackedProgram(self._modules)

    def lint(self, task: Task) -> Result:
        """The outcome of one task. Never raises but to be interrupted."""
        if len(self._program) > KEPT_MODULES:
            self._program = TrackedProgram(self._modules)
        try:
            source = decode(Path(task.path), task.data)
            if isinstance(source, Diagnostic):
                return task.number, Outcome(Linted(0, [source], 0), ())
            linted = lint_source(source, self._program)
            made = repairs(source, self._program, linted.findings) if task.repairs else ()
            needs = self._program.needs(source.path)  # the fixes ask for some
            return task.number, Outcome(linted, needs, tuple(made))
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            if os.environ.get("PULLBACK_TRACEBACK"):
                message = "".join(traceback.format_exception(error)).rstrip()
            return task.number, Crash(task.path, message)


_here: list[Worker] = []


def _lint_chunk(chunk: Sequence[Task]) -> list[Result]:
    """The task of a process: its worker lives as long as it does."""
    if not _here:
        gc.set_threshold(*COLLECTED)
        _here.append(Worker())
    return [_here[0].lint(task) for task in chunk]


def _context() -> BaseContext:
    """A clean server that forks where there is one: forking this process could copy a held lock."""
    import multiprocessing

    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context
