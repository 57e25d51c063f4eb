"""The formulas of this process as kernels take them: the package's come from the disk.

Reading an operator of the package and promoting it takes some milliseconds, which the next process need not
spend again.
"""

from __future__ import annotations

from ...transpile.ir import Eqn
from ...transpile.ir import Formula as FormulaIR
from ...transpile.library import Library
from ..core.registry import FORMULAS
from ..formula.formula import LIBRARY_OF_PROCESS, Formula
from .disk_cache import cached, key_of_package
from .readings import read


class _Cached(Library):
    """The library of the process, what is of the package remembered from earlier processes."""

    def formula(self, op: str) -> FormulaIR | None:
        """The formula that an operator's calls run."""
        entry = FORMULAS.operator(op)
        if isinstance(entry, Formula):
            read(entry)
        return LIBRARY_OF_PROCESS.formula(op)

    def promoted(self, op: str, eqn: Eqn | None = None) -> FormulaIR:
        """The operator's formula after promotion. Raises NoDerivative where there is none."""
        formula = self.formula(op)
        # Where a user's formula stands for an operator, it may be part of any operator's derivative.
        if formula is None or FORMULAS.overridden or not FORMULAS.of_library(FORMULAS.operator(op)):
            return super().promoted(op, eqn)
        known = self._promoted.get(op)
        if known is None or known[0] is not formula:
            key = key_of_package("promoted", op)
            promoted = cached(key, lambda: super(_Cached, self).promoted(op, eqn), ".formula")
            known = self._promoted[op] = formula, promoted
        return known[1]


LIBRARY = _Cached()
