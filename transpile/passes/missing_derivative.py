"""What is said of a gradient that would have to pass an operator without a derivative."""

from __future__ import annotations

from ..diagnostics import Diagnostic, FormulaError
from ..ir import Formula, Literal
from ..library import NoDerivative

_INSTEAD = {"np.array": "np.stack makes an array of tensors: a stack of rows for a matrix"}


def no_derivative(formula: Formula, missing: NoDerivative) -> FormulaError:
    """The located error for a gradient that would have to pass an operator without a derivative."""
    eqn = missing.eqn
    span = eqn.span if eqn is not None and eqn.span is not None else formula.span
    callee = eqn.kwarg("callee") if eqn is not None else None
    if isinstance(callee, Literal):
        value, what = str(callee.value), "it has no formula"
    else:
        value, what = eqn.op if eqn is not None else "", missing.what
    diagnostic = Diagnostic(
        "PB106",
        "no-derivative",
        "error",
        f"the gradient of {formula.name!r} passes {value!r}, whose derivative is not known: {what}",
        span,
        formula.name,
        value,
        _INSTEAD.get(
            value, f"write it in the vocabulary, or give {value!r} a formula of its own with @pb.formula"
        ),
    )
    return FormulaError([diagnostic], formula.source)
