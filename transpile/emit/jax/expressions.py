"""Equations as Python expressions over JAX: ``np.exp`` is ``jnp.exp``, and helpers stand beside it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from ...diagnostics import Diagnostic
from ...ir import Eqn, Formula, Var
from ...operators import DTYPES, OF_TEXTS
from ..array_library.helpers import Helpers, private
from ..array_library.vocabulary import is_complex
from ..python_expr import Expressions, dotted
from .names import LACKING, OWN, missing, unknown_calls


class JaxPrinter:
    """Makes the expressions of one formula's functions; `findings` says what JAX has no counterpart of.

    `names` are those that formulas which are called have in the module.
    """

    def __init__(self, formula: Formula, helpers: Helpers, names: Mapping[str, str]) -> None:
        self.formula = formula
        self.helpers = helpers
        self.names = names
        self.findings: list[Diagnostic] = list(unknown_calls(formula))

    def __call__(self, counts: Mapping[Var, int]) -> JaxExpressions:
        """Expressions for the equations of a block."""
        return JaxExpressions(counts, self)


class JaxExpressions(Expressions):
    """Equations of one block as expressions of JAX."""

    def __init__(self, counts: Mapping[Var, int], printer: JaxPrinter) -> None:
        super().__init__(counts)
        self._printer = printer

    def _call(self, eqn: Eqn) -> ast.expr:
        if eqn.op == "argsort":  # JAX's leaves equal entries in their order, whatever the kind
            eqn = replace(eqn, kwargs=tuple((name, value) for name, value in eqn.kwargs if name != "kind"))
        return super()._call(eqn)

    def name(self, full: str) -> ast.expr:
        """A constant or a function; dtypes are NumPy's in JAX too."""
        if full.startswith("numpy.") and full not in DTYPES:
            full = full.replace("numpy", "jnp", 1)
        return dotted(OWN.get(full, full))

    def function(self, full: str, eqn: Eqn) -> ast.expr:
        """The function that an equation calls: JAX's, or a helper."""
        formula, helpers = self._printer.formula, self._printer.helpers
        spoken = ast.unparse(dotted(full))
        module, _, helper = spoken.partition(".")
        if full in LACKING or (module == "pb" and full not in OWN):
            self._printer.findings.append(missing(formula, spoken, eqn.span or formula.span))
        if full not in OWN and helper in helpers and (helper != "sign" or is_complex(formula)):
            return ast.Name(private(helper), ast.Load())
        return self.name(full)

    def formula(self, op: str, hidden: bool) -> ast.expr:
        """The function of another formula in the same module, or of an operator that only texts have."""
        if op in OF_TEXTS:
            return ast.Name(private(op), ast.Load())
        name = self._printer.names.get(op, op)
        return ast.Name(f"{name}_outputs" if hidden else name, ast.Load())
