"""Equations as expressions of C++ over ATen.

In: equations of a promoted formula, and their types. Out: expressions with NumPy's meaning; FormulaError
(PB502) at an equation that ATen has no operator for.
"""

from __future__ import annotations

from ...ir import Eqn, Literal
from ...operators import OF_TEXTS, OPERATORS
from .code import Code, in_row, write
from .numbers import of_values
from .operands import Operands
from .operators import operator
from .structure import STRUCTURAL
from .values import (
    BOOL,
    DOUBLE,
    INT,
    INTS,
    NUMBERS,
    SIZES,
    TENSOR,
    TENSORS,
    Expr,
    call,
    constant,
    expr,
    method,
)
from .vocabulary import OF_VALUES, TEMPLATES, WHOLE


class AtenExpressions(Operands):
    """Equations of one block as expressions."""

    def call(self, eqn: Eqn) -> Expr:
        """The right-hand side of an equation with one result."""
        structural = STRUCTURAL.get(eqn.op)
        if structural is not None:
            return structural(self, eqn)
        info = OPERATORS.get(eqn.op)
        if info is None:
            return self._other(eqn)
        operands = [self.of(atom) for atom in eqn.args]
        if info.pointwise and not any(value.type in (TENSOR, TENSORS) for value in operands):
            return of_values(self, eqn, info, operands)
        return operator(self, eqn, info, operands) or self._formula_call(eqn, operands)

    def _other(self, eqn: Eqn) -> Expr:
        """Calls beside the table of operators: `math`, another formula, a function of the text."""
        callee = eqn.kwarg("callee")
        operands = [self.of(atom) for atom in eqn.args]
        if eqn.op == "range":
            bounds = operands if len(operands) > 1 else [constant(0), *operands]
            return call("range_of", *[*bounds, constant(1)][:3], type=INTS)
        if eqn.op == "math.prod" and operands[0].type in (INTS, SIZES):
            return call("c10::multiply_integers", *operands, type=INT)
        if callee == Literal("pow") and all(value.type == INT for value in operands):
            return call("power_of", *operands, type=INT)
        if callee == Literal("numpy.flatnonzero"):
            return method(call("at::nonzero", method(operands[0], "reshape", "-1")), "squeeze", "-1")
        if isinstance(callee, Literal):
            raise self.refusal(eqn, str(callee.value).lstrip("."))
        if eqn.op in TEMPLATES:
            return call(eqn.op, *operands)
        if eqn.op in OF_TEXTS:
            return call(eqn.op, *operands, *(self.of(value) for _, value in eqn.kwargs))
        if eqn.op in ("int", "float", "bool") and operands[0].type in NUMBERS:
            type = {"int": INT, "float": DOUBLE, "bool": BOOL}[eqn.op]
            return call(f"static_cast<{type}>", operands[0], type=type)
        if eqn.op in OF_VALUES and all(value.type in NUMBERS for value in operands):
            found = call(OF_VALUES[eqn.op], *operands, type=DOUBLE)
            return call(f"static_cast<{INT}>", found, type=INT) if eqn.op in WHOLE else found
        return self._formula_call(eqn, operands)

    def _formula_call(self, eqn: Eqn, operands: list[Expr]) -> Expr:
        return expr("{}[0]", TENSOR, self.formula_outputs(eqn, operands))

    def formula_outputs(self, eqn: Eqn, operands: list[Expr]) -> Code:
        """The call of another formula's struct, which gives all its outputs."""
        info = OPERATORS.get(eqn.op)
        spoken = info.python if info is not None else eqn.op
        name = self.called(eqn.op)
        if name is None:
            raise self.refusal(eqn, spoken)
        if eqn.kwargs or any(value.type != TENSOR for value in operands):
            raise self.refusal(eqn, f"{spoken} with attributes or numbers")
        return write("{}::apply({})", name, in_row(operands))
