"""Lint one file: what the frontend refuses, and what the rules find in the formulas that it could read."""

from __future__ import annotations

from collections.abc import Iterable

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source

from .rules import RULES


def lint_source(source: Source) -> tuple[int, list[Diagnostic]]:
    """How many formulas the text has, and all findings, info included, in the order of the text.

    Nothing of the text is imported or run. Never raises for any text.
    """
    module = read_module(source)
    found = list(module.diagnostics)
    for formula in module.formulas.values():
        for rule in RULES.values():
            if rule.check is not None:
                found += rule.check(formula)
    return len(module.formulas) + len(module.unreadable), _ordered(found)


def _ordered(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By place, each finding once: the frontend and a rule may see the same thing."""
    unique = {(d.code, d.span.line, d.span.column, d.value): d for d in found}
    return sorted(unique.values(), key=lambda d: (d.span.line, d.span.column, d.code))
