"""Fixes that are proven: the classes that they change run, and give the first gradients that they gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from ..errors import CommandError
from ..lint.configuration.settings import Override
from ..lint.configuration.suppression import without_silenced
from ..lint.fixes.file import FixedFile, fix_file
from .comparing import difference, samples_of, with_text
from .target import Target


@dataclass
class Proven:
    """The fixed file, and for each class whose fix is left out the reason. `change` is None for no text."""

    change: FixedFile | None
    refused: dict[str, str] = field(default_factory=dict)


def proven_fixes(
    path: str, targets: list[Target], names: frozenset[str], expression: str | None, unsafe: bool
) -> Proven:
    """Fix the classes of these names, run what changed before and after, leave out what is not proven."""
    by_name = {target.name: target for target in targets}
    refused: dict[str, str] = {}
    while True:
        change = fix_file(Path(path), _Wanted(path, names - set(refused)), unsafe)
        if change is None or not change.changed:
            return Proven(change, refused)
        wrong = {
            name: why
            for name in dict.fromkeys(finding.name for finding, _ in change.fixed.done)
            if (why := _why_not(by_name.get(name), change.fixed.text, expression))
        }
        if not wrong:
            return Proven(change, refused)
        refused |= wrong


class _Wanted:
    """The findings of classes that lint would show: selected, not silenced, not of severity info."""

    def __init__(self, path: str, names: frozenset[str]) -> None:
        self._settings, self._names = Override().settings_for(Path(path)), names

    def __call__(self, source: Source, found: list[Diagnostic]) -> list[Diagnostic]:
        left = without_silenced(self._settings.chosen(found), source)
        return [one for one in left if one.severity != "info" and one.name in self._names]


def _why_not(target: Target | None, text: str, expression: str | None) -> str:
    """The reason for which a fixed class is not proven; "" where it is."""
    if target is None:
        return "it could not be run, so its first gradients could not be compared"
    try:
        changed = difference(target, with_text(target, text), samples_of(target, expression))
    except CommandError as error:
        return f"its first gradients could not be compared: {str(error).splitlines()[0]}"
    return f"fixed, {changed}" if changed else ""
