"""All analyses of a formula that was just read, in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..diagnostics import Diagnostic
from ..ir import Formula, Verdict
from .captures import captures_of
from .facts import Facts
from .gradient_path import lost_paths
from .linearity import nonlinearities
from .recomputation import recomputed
from .types import infer
from .widening import widening_scalars


class Analysis(NamedTuple):
    """A formula with its captures, and everything found. `usable`: with a barrier where one is needed."""

    formula: Formula
    findings: list[Diagnostic]
    usable: bool


def analyse(formula: Formula, facts: Facts, losing: Iterable[str]) -> Analysis:
    """Run all analyses; `losing` are the functions that make a fresh value without a path back.

    What the forward computes through an unknown call leaves the first derivative right, and
    a barrier refuses the second: such a formula can be used. A number that was made of a
    tensor, or a path that the closure itself cuts, has no such barrier.
    """
    names = frozenset(losing)
    captures, about_captures = captures_of(formula, facts, names)
    opaque = {capture.name for capture in captures if capture.verdict is Verdict.OPAQUE}
    free = formula.pullback.free() if formula.pullback is not None else ()
    numbers = any(var.kind == "value" and var.name in opaque for var in free)
    findings = lost_paths(formula, facts, names)
    findings += nonlinearities(formula)
    findings += recomputed(formula, facts)
    findings += widening_scalars(formula)
    findings += infer(formula).findings
    usable = (not numbers or formula.options.first_order_only) and all(
        finding.severity != "error" for finding in findings
    )
    return Analysis(formula.evolve(captures=captures), about_captures + findings, usable)
