"""``pullback check`` of ``torch.autograd.Function`` classes: a verdict for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pullback.transpile.ir import Source

from ..errors import CLEAN, FINDINGS, CommandError, UsageError
from ..files import python_files, read_source, split_target
from ..lint.linter import may_have_classes
from ..progress import steps
from ..render import count

if TYPE_CHECKING:
    from ..torch_classes.target import Target
    from ..torch_classes.verdicts import Checked


@dataclass(frozen=True)
class ClassesOf:
    """Classes of a file to check: all of them, or the one of a name. `names`: which these are."""

    source: Source
    name: str | None
    names: tuple[str, ...]


def classes_in(targets: list[str]) -> list[ClassesOf]:
    """Those of FILE[::NAME] and folders that have classes, by their text; nothing is imported."""
    return [found for target in targets for found in _classes_in(target)]


def _classes_in(target: str) -> Iterator[ClassesOf]:
    path, name = split_target(target)
    files = [str(file) for file, _ in python_files([path])] if Path(path).is_dir() else [path]
    for file in files:
        source = read_source(file)
        if not may_have_classes(source.text.encode("utf-8", "replace")):
            continue
        from ..torch_classes.names import class_names

        names = class_names(source)
        if names and name in (None, *names):
            yield ClassesOf(source, name, tuple(names) if name is None else (name,))


def check_classes(chosen: list[ClassesOf], inputs: str | None, console: Console) -> int:
    """Run the classes, print their verdicts, and return the exit status."""
    for_one_class(chosen, inputs)
    try:
        from ..torch_classes.former_names import former_names
        from ..torch_classes.target import load_targets
    except ImportError as error:
        raise CommandError(f"checking a class needs {error.name}: pip install 'pullback[torch]'") from error
    targets, skipped = [], []
    with former_names() as former:
        for one in chosen:
            found, left = load_targets(one.source, one.name)
            targets += found
            skipped += left
        return check_targets(targets, skipped, inputs, former, console)


def for_one_class(chosen: list[ClassesOf], inputs: str | None) -> None:
    """Raises `UsageError` where inputs are given for more than one class."""
    if inputs is not None and sum(len(one.names) for one in chosen) != 1:
        raise UsageError("--inputs is for one class: name it as FILE::CLASS")


def check_targets(
    targets: list[Target],
    skipped: list[str],
    inputs: str | None,
    former: Mapping[str, str],
    console: Console,
) -> int:
    """Run classes that were imported; `skipped` says why others were not.

    `former`: names that NumPy had and that were used, and what took their places.
    """
    from ..torch_classes.verdicts import check_class

    checked: list[Checked] = []
    with steps("check", len(targets)) as step:
        for target in targets:
            step(target.name)
            checked.append(check_class(target, inputs))
    absent = {(t.source.path, t.absent): None for t in targets if t.absent}
    left_out = [f"{path}: missing here, and left out: {', '.join(names)}" for path, names in absent]
    gone = [f"{name} is no more in NumPy: {now} took its place" for name, now in former.items()]
    for note in [*left_out, *gone, *skipped, *(note for c in checked for note in c.notes)]:
        console.print(note, soft_wrap=True)
    if checked:
        console.print(_table(checked))
    bad = [c for c in checked if not c.verdict.passes]
    verdict = f"{len(bad) + len(skipped)} failed" if bad or skipped else "all right"
    console.print(f"{verdict}: {count(len(checked) + len(skipped), 'autograd function')}", soft_wrap=True)
    return FINDINGS if bad or skipped else CLEAN


def _table(checked: list[Checked]) -> Table:
    table = Table(title="largest relative error")
    for heading in ("class", "verdict"):
        table.add_column(heading, overflow="fold")
    for heading in ("order 1", "order 2", "order 2, float32"):
        table.add_column(heading, justify="right")
    for one in checked:
        style = "" if one.verdict.passes else "bold red"
        errors = ("-", "-", "-")
        if one.measured is not None:
            found = one.measured
            second = (
                ("-", "-") if found.raised else (f"{found.second.error:.1e}", f"{found.single.error:.1e}")
            )
            errors = (f"{found.first.error:.1e}", *second)
        table.add_row(one.name, Text(one.verdict.value, style=style), *errors)
    return table
