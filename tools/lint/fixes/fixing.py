"""Fixes a text: one fix after the other, each kept only where lint then finds less, and nothing new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from ..analyses.facts import ClassFacts, read_classes
from ..frontend.modules import Finder, Mentions, Program, TorchModule
from ..linter import Known, lint_source
from . import FIXES, Fix
from .text.place import Place
from .text.splices import CannotFix, Text


@dataclass
class Fixed:
    """A fixed text: `done` has what was fixed and how, `left` the reason for each finding that was not."""

    text: str
    done: list[tuple[Diagnostic, str]] = field(default_factory=list)
    left: list[tuple[Diagnostic, str]] = field(default_factory=list)


Wanted = Callable[[Source, list[Diagnostic]], list[Diagnostic]]
Key = tuple[str, str, str]
MOST_FIXES = 200


def fix_source(
    source: Source,
    finder: Finder,
    wanted: Wanted,
    unsafe: bool = False,
    mentioned: Mentions | None = None,
) -> Fixed:
    """Fix what can be fixed in a text.

    `wanted`: which findings are to be fixed: those that are selected and not silenced. `unsafe`: also make
    changes that take something away, as a barrier takes second derivatives. `mentioned` finds files that may
    use what the text defines.
    """
    fixer = _Fixer(Program(finder, mentioned), unsafe)
    fixed = Fixed(source.text)
    found = fixer.findings(source)
    for _ in range(MOST_FIXES):
        source = Source(source.path, fixed.text)
        chosen = wanted(source, found)
        step = fixer.first(source, chosen, found)
        if step is None:
            tried = fixer.tried
            fixed.left = [(finding, tried[key]) for finding in chosen if (key := _key(finding)) in tried]
            return fixed
        made, found = step
        fixed.text = made.text
        fixed.done += made.done
    return fixed


def fix_one(
    source: Source,
    program: Program,
    finding: Diagnostic,
    found: list[Diagnostic],
    unsafe: bool,
    known: Known | None,
) -> Fixed | None:
    """The text in which this finding alone is fixed, and what goes with it; None where it cannot be.

    `found` are all findings of the text. `program` has the text of the source again afterwards. `known`: what
    was found in the classes when another fix was tried.
    """
    try:
        step = _Fixer(program, unsafe, known).first(source, [finding], found)
    finally:
        program.replace(source)
    return step[0] if step is not None else None


class _Fixer:
    """Makes fixes in one text. The modules that it imports are read once for all of them."""

    def __init__(self, program: Program, unsafe: bool, known: Known | None = None) -> None:
        self._program, self._unsafe, self._known = program, unsafe, known
        self.tried: dict[Key, str] = {}
        self._facts: dict[tuple[TorchModule, str], ClassFacts | None] = {}

    def findings(self, source: Source) -> list[Diagnostic]:
        """The findings in a text that takes the place of the file's."""
        self._program.replace(source)
        return lint_source(source, self._program, self._known).findings

    def first(
        self, source: Source, chosen: list[Diagnostic], before: list[Diagnostic]
    ) -> tuple[Fixed, list[Diagnostic]] | None:
        """The text after the first fix that works, and what lint finds then; None where none does."""
        for finding in chosen:
            key = _key(finding)
            fixes = [fix for fix in FIXES.get(finding.code, ()) if fix.safe or self._unsafe]
            if key in self.tried or not fixes or finding.span.path != source.path:
                continue
            for fix in fixes:
                try:
                    return self._applied(fix, source, finding, before)
                except CannotFix as reason:
                    if not fix.silent:
                        self.tried.setdefault(key, str(reason))
                except RecursionError:
                    self.tried.setdefault(key, "an expression is nested deeper than Python can follow")
        return None

    def _applied(
        self, fix: Fix, source: Source, finding: Diagnostic, before: list[Diagnostic]
    ) -> tuple[Fixed, list[Diagnostic]]:
        made = source.text
        for change in (*fix.first, fix.apply):
            made = self._changed(change, Source(source.path, made), finding)
        self._facts.clear()  # of the text before, which the fixed one takes the place of
        after = self.findings(Source(source.path, made))
        had, has = _counted(before), _counted(after)
        new = has - had
        if new:
            code, name, value = next(iter(new))
            raise CannotFix(f"lint would then find {code} at `{value}` in `{name}`")
        if has[_key(finding)] >= had[_key(finding)]:
            raise CannotFix("lint would still find it")
        gone = had - has
        done = []
        for one in before:
            if gone[_key(one)] > 0:
                gone[_key(one)] -= 1
                alike = one.code == finding.code
                done.append((one, fix.what if alike else f"gone with the fix of `{finding.value}`"))
        return Fixed(made, done), after

    def _changed(self, change: Callable[[Place], None], source: Source, finding: Diagnostic) -> str:
        self._program.replace(source)
        module = self._program.module(source)
        facts = self._facts_in(module, finding.name) if module is not None else None
        if module is None or facts is None:
            raise CannotFix("the class cannot be read")
        text = Text(source.text)
        change(Place(text, module, facts, finding))
        return text.spliced()

    def _facts_in(self, module: TorchModule, name: str) -> ClassFacts | None:
        """The facts of a class, read once for all fixes that are tried on a text."""
        if (module, name) not in self._facts:
            self._facts[module, name] = next(read_classes(module.source, self._program, name), None)
        return self._facts[module, name]


def _key(finding: Diagnostic) -> Key:
    return finding.code, finding.name, finding.value


def _counted(findings: list[Diagnostic]) -> Counter[Key]:
    return Counter(_key(f) for f in findings if f.severity != "info" or f.code in FIXES)
