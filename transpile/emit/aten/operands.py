"""Operands of one block as expressions, and what everything that reads them asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ...analysis.types import Types
from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Atom, Eqn, Formula, Var
from .code import Code, Piece, write
from .indexing import entries
from .values import (
    BOOL,
    CHOICE,
    DOUBLE,
    DTYPE,
    INT,
    INTS,
    NONE,
    NUMBERS,
    PARTS,
    PRIMARY,
    SIZES,
    TENSOR,
    UNARY,
    Expr,
    binary,
    constant,
    declared,
    expr,
    joined,
    method,
)
from .vocabulary import DTYPES


class Operands:
    """Operands of one block's equations.

    `types` are those of the IR, `called` gives the struct of another formula, `beside` a tensor on whose
    device arrays made of numbers are put. `values` are the expressions of variables so far.
    """

    def __init__(
        self,
        formula: Formula,
        types: Types,
        called: Callable[[str], str | None],
        values: Mapping[Var, Expr],
        beside: Piece | None = None,
    ) -> None:
        self.formula = formula
        self.values: dict[Var, Expr] = dict(values)
        self.types = types
        self.called = called
        self.beside = beside

    def of(self, atom: Atom) -> Expr:
        """The expression of an operand."""
        if isinstance(atom, Var):
            return self.values[atom]
        return constant(atom.value)

    def converted(self, value: Expr, type: str, eqn: Eqn | None = None) -> Code:
        """A value as one of another type."""
        if value.type == type or (type == INT and value.type == BOOL):
            return value.code
        if type == TENSOR and value.type in NUMBERS:
            return write("number({})", value)
        if type == DOUBLE and value.type in (INT, BOOL):
            return write("static_cast<double>({})", value)
        if type == INTS and value.type == SIZES:
            return write("{}.vec()", value.within(PRIMARY))
        if type == INTS and value.type == PARTS and all(part.type == INT for part in value.parts):
            return write("{}{}", INTS, value)
        if value.type == NONE and type:
            return write("{}()", declared(type))
        raise self.refusal(eqn, f"{value.text} as {type or 'one type'}")

    def chosen(self, value: Expr, type: str, eqn: Eqn) -> Code:
        """The same of a value that a variable has in turn with others: a number does not widen float32."""
        if type == TENSOR and value.type in NUMBERS and self.beside is not None:
            return write("scalar({}, {})", value, self.beside)
        return self.converted(value, type, eqn)

    def refusal(self, eqn: Eqn | None, spoken: str, instead: str = "") -> FormulaError:
        """The error at an equation that ATen has no operator for."""
        span = (eqn.span if eqn is not None else None) or self.formula.span
        hint = "write it with functions that ATen has, or use --target torch-python"
        hint = f"write {instead}" if instead else hint
        message = f"ATen has no equal of `{spoken}`"
        name = self.formula.name
        finding = diagnostic("PB502", message, span, name=name, value=spoken, hint=hint)
        return FormulaError([finding], self.formula.source)

    def dtype(self, eqn: Eqn, value: Expr) -> Code:
        """A dtype, which may be named, as ATen has it."""
        if value.type == DTYPE:
            return value.code
        found = DTYPES.get(str(value.constant))
        if found is None:
            raise self.refusal(eqn, f"the dtype {value.text}")
        return write(found)

    def entries(self, eqn: Eqn, base: Expr, index: Expr) -> Expr:
        """The entries of a tensor at an index."""
        return entries(base, index, partial(self.refusal, eqn))

    def choice(self, eqn: Eqn, test: Expr, first: Expr, second: Expr) -> Expr:
        """One of two values by a condition."""
        type = joined([first.type, second.type])
        sides = [self.chosen(value, type, eqn) for value in (first, second)]
        condition = self.condition(test).within(UNARY if test.type == BOOL else CHOICE)
        return expr("{} ? {} : {}", type, condition, *sides, level=CHOICE)

    def condition(self, test: Expr) -> Expr:
        """A value as the condition of a branch."""
        if test.type == TENSOR:
            return method(test, "is_nonzero", type=BOOL)
        return test if test.type == BOOL else binary("!=", test, constant(0), BOOL)
