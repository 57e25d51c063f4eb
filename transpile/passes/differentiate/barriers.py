"""The operator that refuses a second derivative of equations whose reverse sweep is written out.

In: equations, and a library. Out: why their gradients must not be differentiated, or an empty string: an
operator among them has a barrier, which its pullback loses where it is inlined.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from ...derivatives import Derivatives, NoDerivative
from ...diagnostics import FormulaError
from ...ir import Eqn, Var


def barrier_of(eqns: Sequence[Eqn], reached: Container[Var], library: Derivatives) -> str:
    """The barrier of the first operator that has one, of those that the sweep `reached` an output of.

    Of a conditional or a loop that it reached, each operator counts.
    """
    passed = (eqn for eqn in eqns if any(var in reached for var in eqn.outs))
    inside = (inner for eqn in passed for inner in (*(e for b in eqn.blocks for e in b.every()), eqn))
    return next((why for eqn in inside if (why := _barrier(eqn, library))), "")


def _barrier(eqn: Eqn, library: Derivatives) -> str:
    try:
        return library.promoted(eqn.op, eqn).barrier
    except (NoDerivative, FormulaError):
        return ""  # no sweep passes it, which else would have failed
