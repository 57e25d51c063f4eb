"""Formulas that work entry by entry, forward and backward."""

from __future__ import annotations

from typing import Any

from ...transpile.ir import Block
from ...transpile.operators import OPERATORS

# What a closure does besides: it gives gradients the shapes of the operands.
_OF_SHAPES = frozenset(
    {"like", "dtype", "sum_to", "accumulate", "stop_gradient", "expect_like", "broadcast_like"}
    | {"gradient_like"}
)


def is_pointwise(operator: Any) -> bool:
    """True where the operator's results at an entry depend on its operands at that entry alone.

    >>> import numpy as np, pullback as pb
    >>> is_pointwise(pb.formulas()[np.tanh].operator), is_pointwise(pb.formulas()[np.sum].operator)
    (True, False)
    """
    formula = getattr(operator, "formula", None)
    if formula is None or any(param.var.kind == "list" for param in operator.inputs):
        return False
    return _entry_by_entry(formula.forward) and _entry_by_entry(formula.pullback)


def _entry_by_entry(block: Block | None) -> bool:
    return block is not None and all(
        eqn.op in _OF_SHAPES or (eqn.op in OPERATORS and OPERATORS[eqn.op].kind == "pointwise")
        for eqn in block.eqns
    )
