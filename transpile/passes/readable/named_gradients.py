"""Operators whose gradients a reader is shown by name: ``primitives.matmul_gradients(grad, a, b)``.

In: a library. Out: one in which the closure of such an operator is a call of that name.

>>> from ...library import standard_library
>>> from ...printer import block_text
>>> print(block_text(with_named_gradients(standard_library()).formula("matmul").pullback))
grad_x1, grad_x2 = pullback.primitives.matmul_gradients(grad, x1, x2)
return grad_x1, grad_x2
"""

from __future__ import annotations

from ...derivatives import Derivatives
from ...ir import Block, Eqn, Formula, Var
from ...operators import NAMED_GRADIENTS


def with_named_gradients(library: Derivatives) -> Derivatives:
    """The library with closures for readers."""
    known = {op: library.formula(op) for op in NAMED_GRADIENTS}
    return library.having({op: _named(formula) for op, formula in known.items() if formula is not None})


def _named(formula: Formula) -> Formula:
    assert formula.pullback is not None
    inputs = tuple(param.var for param in formula.inputs)
    gradients = tuple(Var(f"grad_{var}") for var in inputs)
    call = Eqn(gradients, NAMED_GRADIENTS[formula.name], (*formula.cotangents, *inputs), span=formula.span)
    return formula.evolve(pullback=Block(formula.cotangents, (call,), gradients))
