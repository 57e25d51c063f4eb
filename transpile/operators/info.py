"""A word: one operator of the vocabulary, with the facts that the passes need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal as OneOf

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


def unary(names: str, **facts: object) -> Iterable[OperatorInfo]:
    """NumPy's functions of one operand, entry by entry, which share these facts."""
    for name in names.split():
        yield OperatorInfo(name, f"numpy.{name}", ("x",), pointwise=True, **facts)  # type: ignore[arg-type]
