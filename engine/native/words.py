"""The operator behind a name of the vocabulary."""

from __future__ import annotations

from ...transpile.operators import OPERATORS
from ..core.operator import Operator
from ..core.registry import FORMULAS
from ..formula.decorators import Formula


def operator_of(word: str) -> Operator | None:
    """The operator that stands for a name now; None where a call is more than calling one."""
    if OPERATORS[word].derivative == "zero":
        return None
    entry = FORMULAS.of_word(word)
    return entry.operator if type(entry) is Formula else None
