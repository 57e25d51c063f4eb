"""The diagnostic of a gradient that would have to pass an operator without a derivative."""

from __future__ import annotations

from ...derivatives import NoDerivative
from ...diagnostics import Diagnostic, FormulaError
from ...ir import Formula, Literal
from ...operators import instead_of

_HINT = (
    "write it with operators of the vocabulary, or call a function of your own in its place, which has "
    "@pb.formula and returns a closure"
)


def no_derivative(formula: Formula, missing: NoDerivative) -> FormulaError:
    """The located error for a gradient that would have to pass an operator without a derivative."""
    eqn = missing.eqn
    span = eqn.span if eqn is not None and eqn.span is not None else formula.span
    callee = eqn.kwarg("callee") if eqn is not None else None
    if isinstance(callee, Literal):
        value, what = str(callee.value), "it has no formula"
    else:
        value, what = eqn.op if eqn is not None else "", missing.what
    instead = instead_of(value)
    diagnostic = Diagnostic(
        "PB106",
        "no-derivative",
        "error",
        f"the gradient of {formula.name!r} passes {value!r}, whose derivative is not known: {what}",
        span,
        formula.name,
        value,
        f"write {instead}" if instead else _HINT,
    )
    return FormulaError([diagnostic], formula.source)
