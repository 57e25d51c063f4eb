"""The difference between a text and its fixed text, as replacements of whole lines."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from ..frontend.modules import Program
from ..linter import Known
from . import FIXES
from .fixing import fix_one


class Edit(NamedTuple):
    """The lines from `first` to before `end`, counted from 0, and the text that takes their place."""

    first: int
    end: int
    text: str


class Repair(NamedTuple):
    """The fix of one finding (`number` among those of its file), what it does, and the edits that make it."""

    number: int
    what: str
    edits: tuple[Edit, ...]


def repairs(
    source: Source,
    program: Program,
    found: list[Diagnostic],
    unsafe: bool = False,
    only: Sequence[Diagnostic] | None = None,
) -> list[Repair]:
    """The fix of each finding that has one, each as if it were the only one made.

    `found` are all findings of the text, `only` those that are to be fixed, if not all.
    """
    made = []
    known = Known(places=False)  # a fix changes one class: the others need not be read for each
    for number, finding in enumerate(found):
        if finding.severity == "info" or finding.code not in FIXES:
            continue
        if only is not None and finding not in only:
            continue
        fixed = fix_one(source, program, finding, found, unsafe, known)
        if fixed is not None:
            what = next((how for one, how in fixed.done if one == finding), fixed.done[0][1])
            made.append(Repair(number, what, edits(source.text, fixed.text)))
    return made


def edits(before: str, after: str) -> tuple[Edit, ...]:
    """The edits from one text to the other, from the top.

    >>> edits("a\\nb\\nc\\n", "a\\nB\\nc\\nd\\n")
    (Edit(first=1, end=2, text='B\\n'), Edit(first=3, end=3, text='d\\n'))
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(first, end, "".join(new[start:stop]))
        for tag, first, end, start, stop in matcher.get_opcodes()
        if tag != "equal"
    )
