"""Operators of one entry in CUDA C++: the columns of the table that the loop IR reads."""

from __future__ import annotations

from . import OPERATORS
from .info import OperatorInfo


def template(operator: OperatorInfo) -> str | None:
    """The operator as an expression of CUDA C++, operands in braces; None where it has none.

    Operands are already of the type that the operator computes in.

    >>> template(OPERATORS["add"]), template(OPERATORS["arctan2"]), template(OPERATORS["relu"])
    ('{0} + {1}', 'atan2({0}, {1})', 'pb_maximum({0}, 0)')
    """
    text = operator.scalar and operator.scalar.cuda
    if not text or "{" in text:
        return text or None
    places = [f"{{{place}}}" for place in range(len(operator.operands))]
    return f"{text}({', '.join(places)})" if text[0].isalpha() else f" {text} ".join(places)


def _taking(takes: str, of: tuple[str, ...] = ("any", "numbers", "floats", "bools")) -> frozenset[str]:
    """Operators whose operands are converted so, for these entries in CUDA."""
    return frozenset(
        name
        for name in CUDA
        if (scalar := OPERATORS[name].scalar)
        and scalar.takes == takes
        and (scalar.cuda_of or scalar.of) in of
    )


CUDA: dict[str, str] = {
    name: text for name, operator in OPERATORS.items() if (text := template(operator)) is not None
}
COMPARISONS = _taking("promote")
LOGIC = _taking("truth", ("any",))
OF_BOOLS = _taking("truth", ("bools",))
PREDICATES = frozenset(name for name in _taking("float") if OPERATORS[name].dtype == "bool")
OF_FLOATS = _taking("float") | _taking("result", ("floats",))

# Operators of one entry that loops have, besides a cast.
SCALAR = frozenset(CUDA)
