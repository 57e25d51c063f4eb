"""A word: one operator of the vocabulary, with the facts that the passes need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal as OneOf

from .types.call import Rule
from .types.pointwise import pointwise

Dtype = OneOf["same", "float", "bool", "int", "attr"]


@dataclass(frozen=True, slots=True)
class OperatorInfo:
    """One operator of the vocabulary.

    pointwise    the result's shape is the broadcast of the operands' shapes
    derivative   "formula": has one in formulas/; "zero": known to be zero, or
                 the result is not differentiable
    dtype        of the result: "same" as NumPy promotes the operands, "float"
                 the same but integers become float64, "bool", "int", or "attr"
    linear       operands in which the operator is linear when the others are
                 held fixed: a zero there gives a zero. `jointly` linear
                 operators (add, concatenate) are zero only when all are.
    view         the result may share memory with the first operand
    infix        Python's operator, where it has one
    variadic     the first operand is a list of tensors
    gives_list   the result is one
    type         the rule of the result's type; where there is none, nothing is known of it
    """

    name: str
    python: str
    operands: tuple[str, ...]
    attrs: tuple[str, ...] = ()
    pointwise: bool = False
    derivative: OneOf["formula", "zero"] = "formula"
    dtype: Dtype = "same"
    linear: tuple[int, ...] = ()
    jointly: bool = False
    view: bool = False
    infix: str = ""
    variadic: bool = False
    gives_list: bool = False
    spelling: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    type: Rule | None = None


def unary(names: str, **facts: object) -> Iterable[OperatorInfo]:
    """NumPy's functions of one operand, entry by entry, which share these facts."""
    for name in names.split():
        yield OperatorInfo(name, f"numpy.{name}", ("x",), pointwise=True, **facts)  # type: ignore[arg-type]


def typed(operators: Iterable[OperatorInfo], rules: Mapping[str, Rule]) -> tuple[OperatorInfo, ...]:
    """The operators with their rules of types: that of `rules`, or broadcasting where they are pointwise."""
    return tuple(
        replace(operator, type=rules.get(operator.name) or _usual(operator)) for operator in operators
    )


def _usual(operator: OperatorInfo) -> Rule | None:
    if not operator.pointwise:
        return None
    return pointwise(operator.dtype, not operator.python.startswith("numpy."))
