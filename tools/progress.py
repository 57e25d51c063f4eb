"""A progress bar on standard error for what takes longer than a second, and only on a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Item = TypeVar("Item")
PATIENCE = 1.0


class Stepper(Protocol):
    """Called at the start of each step with what it is about."""

    def __call__(self, what: str) -> None: ...


@contextmanager
def steps(title: str, total: int | None) -> Iterator[Stepper]:
    """A function to call at the start of each step. The bar appears once a second has gone by.

    The steps themselves may take long: a live display refreshes in a thread of its own.
    """
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = progress.add_task(title, total=total)
    begun = time.monotonic()
    done = -1
    shown = False

    def step(what: str) -> None:
        nonlocal done, shown
        done += 1
        progress.update(task, completed=done, description=f"{title} {what}")
        if not shown and console.is_terminal and time.monotonic() - begun > PATIENCE:
            shown = True
            progress.start()

    try:
        yield step
    finally:
        if shown:
            progress.stop()


def track(items: Sequence[Item] | Iterable[Item], title: str, total: int | None = None) -> Iterator[Item]:
    """Go through the items, and show how far it is."""
    with steps(title, total) as step:
        for item in items:
            step("")
            yield item
