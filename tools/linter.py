"""Lint one file: its formulas, and its ``torch.autograd.Function`` classes.

What the frontend refuses, and what the rules find in what it could read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pullback.transpile.analysis.torch.facts import Program, read_classes
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source

from .rules import RULES, TORCH_RULES


class Linted(NamedTuple):
    """How many formulas and classes a text has, and all findings, info included, in its order."""

    formulas: int
    findings: list[Diagnostic]
    classes: int


def lint_source(source: Source, program: Program | None = None) -> Linted:
    """Lint one text.

    `program` finds the modules of the linted tree that a class leads to. Nothing of the text is imported or
    run. Never raises for any text.
    """
    module = read_module(source)
    found = list(module.diagnostics)
    for formula in module.formulas.values():
        for rule in RULES.values():
            if rule.check is not None:
                found += rule.check(formula)
    classes = 0
    if "Function" in source.text or "ctx" in source.text:
        for facts in read_classes(source, program or Program()):
            classes += 1
            for rule in TORCH_RULES.values():
                if rule.check_class is not None:
                    found += rule.check_class(facts)
    return Linted(len(module.formulas) + len(module.unreadable), _ordered(found), classes)


def _ordered(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By place, each finding once: the frontend and a rule may see the same thing."""
    unique = {(d.code, d.name, d.span.line, d.span.column, d.value): d for d in found}
    return sorted(unique.values(), key=lambda d: (d.span.line, d.span.column, d.code))
