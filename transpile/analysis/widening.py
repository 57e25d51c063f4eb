"""Widening of a float32 tensor by a NumPy scalar, by surprise.

In: a formula as it was read. Out: advice (PB902), one finding per line.
``np.sqrt(2 / np.pi)`` is a float64 scalar, and by NumPy's rules its product
with a float32 array is float64; ``math.sqrt(2 / math.pi)`` leaves float32.
"""

from __future__ import annotations

from ..codes import diagnostic
from ..diagnostics import Diagnostic
from ..ir import Formula, Literal, Var
from ..operators import OPERATORS


def widening_scalars(formula: Formula) -> list[Diagnostic]:
    """Advice where a tensor meets a float64 scalar of NumPy."""
    found: dict[tuple[int, object], Diagnostic] = {}
    for eqn in formula.every():
        info = OPERATORS.get(eqn.op)
        strong = next((atom for atom in eqn.args if isinstance(atom, Literal) and atom.strong), None)
        tensor = any(isinstance(atom, Var) and atom.kind == "tensor" for atom in eqn.args)
        if info is None or not info.pointwise or info.dtype == "bool" or strong is None or not tensor:
            continue
        if eqn.span is None or (eqn.span.line, strong.value) in found:
            continue
        found[eqn.span.line, strong.value] = diagnostic(
            "PB902",
            f"{strong.value!r} is a float64 scalar of NumPy: the result is float64 for float32 input too",
            eqn.span,
            name=formula.name,
            value=repr(strong.value),
            hint="compute the constant with `math`, or with `float(...)` around it",
        )
    return list(found.values())
