"""The operator that a name in the table of operators calls."""

from __future__ import annotations

from ...transpile.operators import OPERATORS
from ..core.operator import Operator
from ..core.registry import FORMULAS
from ..formula.decorators import Formula


def operator_of(name: str) -> Operator | None:
    """The operator that stands for a name now; None where a call is more than calling one."""
    if OPERATORS[name].derivative == "zero":
        return None
    entry = FORMULAS.of_operator(name)
    return entry.operator if type(entry) is Formula else None
