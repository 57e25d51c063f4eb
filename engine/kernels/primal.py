"""Formulas of the primal alone, for calls that are not recorded."""

from __future__ import annotations

from ...transpile.passes.variants.primal import is_primal, primal
from ..core.typed import P, R_co
from ..formula.formula import Formula


def primal_of(formula: Formula[P, R_co]) -> Formula[P, R_co] | None:
    """The formula without its derivative, where it has loops, whose values a derivative keeps; else None."""
    if is_primal(formula.ir) or all(eqn.op != "for" for eqn in formula.ir.forward.every()):
        return None
    made: Formula[P, R_co] = Formula(formula.__wrapped__, formula.ir.options, derived=True)
    vars(made)["ir"] = primal(formula.ir)
    made.reading = formula.reading and f"{formula.reading} primal"
    return made
