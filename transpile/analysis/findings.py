"""All analyses of a formula that was just read, in one call."""

from __future__ import annotations

from collections.abc import Iterable

from ..diagnostics import Diagnostic
from ..ir import Formula
from .captures import captures_of
from .facts import Facts
from .gradient_path import lost_paths
from .linearity import nonlinearities
from .recomputation import recomputed
from .widening import widening_scalars


def analyse(formula: Formula, facts: Facts, losing: Iterable[str]) -> tuple[Formula, list[Diagnostic]]:
    """The formula with its captures, and everything that the analyses find.

    `losing` are the functions that make a fresh value without a path back.
    """
    captures, findings = captures_of(formula, facts)
    findings += lost_paths(formula, facts, losing)
    findings += nonlinearities(formula)
    findings += recomputed(formula, facts)
    findings += widening_scalars(formula)
    return formula.evolve(captures=captures), findings
