"""A small program, for the examples in docstrings."""

from __future__ import annotations

from ...ir.types import TensorType, unknown_tensor
from ...library import formula_in, standard_library
from ...passes.inline import inline
from .ir import Program
from .lower import PRIMITIVES, lower


def lowered(expression: str) -> Program:
    """The program of an expression of `x`, a float32 array, before any pass."""
    formula = formula_in(f"def example(x):\n    return {expression}\n")
    block = inline(formula.forward, standard_library(), PRIMITIVES)
    (x,) = block.params
    given = {x: TensorType(unknown_tensor(x.name).shape, "float32")}
    return lower(formula, block, given, frozenset({"x"}), "example_forward")[0]
