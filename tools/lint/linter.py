"""Lint one file: its formulas, and its ``torch.autograd.Function`` classes.

What the frontend refuses, and what the rules find in what it could read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Formula, Source, Span

from .analyses.facts import ClassFacts, Program, read_class
from .frontend.classes import FunctionClass, function_classes, unread
from .frontend.formulas import InFormula, read_formulas
from .frontend.modules import TorchModule
from .frontend.operators import registered_operators
from .frontend.reach import Reach
from .rules import RULES, TORCH_RULES

FROM_FUNCTION = re.compile(rb"^\s*class\s+\w+\s*\([^)]*Function", re.MULTILINE)

_OF_FORMULAS = (b"formula", b"composite", b"derive", b"compile")
WORDS = (b"Function", b"ctx", b"save_for_backward")


class Subject(NamedTuple):
    """A formula or a class that was analysed, and its place."""

    kind: str
    name: str
    span: Span


class Linted(NamedTuple):
    """The numbers of formulas and classes of a text, all findings, info included, and what was read."""

    formulas: int
    findings: list[Diagnostic]
    classes: int
    subjects: tuple[Subject, ...] = ()


class InClass(NamedTuple):
    """The findings in a class; no subject where it could not be read."""

    subject: Subject | None
    findings: tuple[Diagnostic, ...]


@dataclass
class Known:
    """Findings in the classes and formulas of an earlier version of a text, by what these depend on.

    `places`: findings have their places; else those of classes may have the places that they had before.
    """

    classes: dict[Hashable, InClass] = field(default_factory=dict)
    formulas: dict[Hashable, InFormula] = field(default_factory=dict)
    places: bool = True


def lint_source(source: Source, program: Program | None = None, known: Known | None = None) -> Linted:
    """Lint one text.

    `program` finds the modules of the linted tree that a class leads to. `known`: what was found in
    an earlier version of the text, while those modules were the same; it is brought up to date.
    Nothing of the text is imported or run. Never raises for any text.
    """
    data = source.text.encode("utf-8", "replace")
    found: list[Diagnostic] = []
    subjects: list[Subject] = []
    formulas = classes = 0
    program = Program() if program is None else program
    parsed = False
    if may_have_classes(data):
        own = program.module(source)
        parsed = own is not None
        read: set[ast.ClassDef] = set()
        for cls, in_class in (
            _in_classes(own, known.classes, known.places)
            if own is not None and known is not None
            else _in_classes(own)
            if own is not None
            else ()
        ):
            found += in_class.findings
            if in_class.subject is not None:
                subjects.append(in_class.subject)
                read.update(item.node for item in cls.order)
        classes = len(subjects)
        found += _unread(own, read) if own is not None else ()
    if may_have_formulas(data) or not parsed:
        read_here, outside = read_formulas(source, _check, known.formulas if known is not None else None)
        found += outside
        formulas = len(read_here)
        for one in read_here:
            found += (*one.read, *one.checked)
            subjects.append(Subject("formula", one.name, one.span))
    tree = program.module(source)
    for rule in RULES.values():
        if rule.check_module is not None and tree is not None:
            found += rule.check_module(tree)
    return Linted(formulas, _ordered(found), classes, tuple(sorted(subjects, key=lambda s: s.span.line)))


def _in_classes(
    module: TorchModule, known: dict[Hashable, InClass] | None = None, places: bool = True
) -> Iterator[tuple[FunctionClass, InClass]]:
    """Each class of a module with what is found in it, or is known from before."""
    reach = Reach(module, places) if known is not None else None
    now: dict[Hashable, InClass] = {}
    for cls in function_classes(module):
        key = reach.of(cls) if reach is not None else None
        in_class = known.get(key) if known else None
        if in_class is None:
            facts = read_class(cls)
            in_class = _in_class(facts)
            if facts is not None and facts.backward.unset:  # anything in the file may set it
                key = None
        if key is not None:
            now[key] = in_class
        yield cls, in_class
    yield from ((cls, _in_class(read_class(cls))) for cls in registered_operators(module))
    if known is not None:
        known.clear()
        known.update(now)


def _in_class(facts: ClassFacts | None) -> InClass:
    """The findings of the rules in a class."""
    if facts is None:
        return InClass(None, ())
    checks = [rule.check_class for rule in TORCH_RULES.values() if rule.check_class is not None]
    return InClass(
        Subject("class", facts.name, facts.span), tuple(f for check in checks for f in check(facts))
    )


def _check(formula: Formula) -> Iterator[Diagnostic]:
    """The findings of the rules in a formula."""
    for rule in RULES.values():
        if rule.check is not None:
            yield from rule.check(formula)


def _unread(module: TorchModule, read: set[ast.ClassDef]) -> Iterator[Diagnostic]:
    """A warning for each class that looks like an autograd function and was not read: it is not clean."""
    for name, node in unread(module, read):
        rule = RULES["PB400"].name
        message = f"`{name}` looks like an autograd function, and lint could not read it"
        hint = "lint a folder that has its base class too, and write `forward` and `backward` as methods"
        yield Diagnostic("PB400", rule, "warning", message, module.span(node), name, name, hint)


def may_have_formulas(data: bytes) -> bool:
    """True if a file's bytes may hold a formula: one without these words need not be parsed."""
    return b"pullback" in data and any(word in data for word in _OF_FORMULAS)


def may_have_classes(data: bytes) -> bool:
    """True if a file's bytes may hold an autograd function, or a class that inherits from one."""
    if b"register_autograd" in data:
        return True
    if b"Function,)" in data and b"type(" in data:  # type("Scaled", (Function,), methods)
        return True
    if b"class" not in data or not any(word in data for word in WORDS):
        return False
    return b"def forward" in data or b"def backward" in data or FROM_FUNCTION.search(data) is not None


def _ordered(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By place, each finding once: the frontend and a rule may see the same thing.

    A class may see what its abstract base cannot, in the very same text: the base's finding says no more.
    """
    unique = {(d.code, d.name, d.span.line, d.span.column, d.value): d for d in found}
    seen = {(d.span, d.value) for d in unique.values() if d.code == "PB101"}
    kept = [d for d in unique.values() if d.code != "PB103" or (d.span, d.value) not in seen]
    return sorted(kept, key=lambda d: (d.span.line, d.span.column, d.code))
