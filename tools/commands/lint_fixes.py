"""``pullback lint --fix`` and ``--diff``."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from ..errors import CLEAN, FINDINGS
from ..lint.configuration.settings import Override
from ..lint.configuration.suppression import without_silenced
from ..lint.fixes import FIXES
from ..lint.fixes.file import FixedFile, fix_file
from ..lint.fixes.fixing import Wanted
from ..lint.running.runner import Report, Request
from ..notebooks import is_cell
from ..render import count


def fixes_for(report: Report, request: Request, unsafe: bool, verbose: bool) -> list[FixedFile]:
    """The fixed text of each file with a finding that has a fix, not of notebooks. Nothing is written."""
    found = (f for f in report.findings if f.code in FIXES and (verbose or f.severity != "info"))
    paths = dict.fromkeys(f.span.path for f in found if not is_cell(f.span.path))
    made = (
        fix_file(Path(path), _wanted(path, request.override, verbose), unsafe, request.texts.get(path))
        for path in paths
    )
    return [one for one in made if one is not None]


def _wanted(path: str, override: Override, verbose: bool) -> Wanted:
    """Findings that are selected, not silenced, and shown."""
    settings = override.settings_for(Path(path))

    def chosen(source: Source, findings: list[Diagnostic]) -> list[Diagnostic]:
        left = without_silenced(settings.chosen(findings), source)
        return [found for found in left if verbose or found.severity != "info"]

    return chosen


def print_diff(changes: list[FixedFile]) -> int:
    """Print what would change; the exit status is that of findings where something would."""
    changed = [change for change in changes if change.changed]
    for change in changed:
        sys.stdout.write(change.diff())
    sys.stdout.flush()
    _explain(changes, "would fix")
    return FINDINGS if changed else CLEAN


def write_fixes(changes: list[FixedFile]) -> None:
    """Write the files that change."""
    for change in changes:
        if change.changed:
            change.write()
    _explain(changes, "fixed")


def print_fixed(changes: list[FixedFile], request: Request) -> Request:
    """Print the text that came from standard input as it is fixed; the request to lint it."""
    texts = {**request.texts, **{str(change.path): change.data() for change in changes}}
    sys.stdout.flush()
    for data in texts.values():
        sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    _explain(changes, "fixed")
    return replace(request, texts=texts)


def _explain(changes: list[FixedFile], word: str) -> None:
    """To stderr: the output may be a diff or JSON that a program reads."""
    console = Console(stderr=True, highlight=False, markup=False)
    for change in changes:
        for (code, name, value, how), _ in Counter(
            (f.code, f.name, f.value, how) for f, how in change.fixed.done
        ).items():
            console.print(f"{change.path}: {word} {code} in {name}: `{value}`: {how}", soft_wrap=True)
        for finding, reason in change.fixed.left:
            console.print(
                f"{finding.span}: {finding.code} in {finding.name} not fixed: {reason}", soft_wrap=True
            )
    done = sum(len(change.fixed.done) for change in changes)
    said = f"{word} {count(done, 'finding')} in {count(sum(c.changed for c in changes), 'file')}"
    if done:
        said += "; nothing was run: `pullback check --fix` also compares first gradients before it writes"
    console.print(said, soft_wrap=True)
