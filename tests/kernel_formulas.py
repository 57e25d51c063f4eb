"""Checks of the formulas that kernels are made of."""

from pullback.transpile.verify import verify


def verify_formulas(compiled):
    """Raise InvalidIR where a formula of a compiled one's kernels, of any order, is no valid IR."""
    for operator in compiled._operators.values():
        level = operator.compiled
        while level is not None:
            verify(level.formula)
            level = level.derivative
