"""A table of how the library's operators run on the native engine: ``pullback doctor --operators``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pullback.engine.core.registry import FORMULAS
from pullback.engine.formula.formula import Formula
from pullback.engine.native import kernels

KERNEL, LOOP, FORMULA = "kernel", "kernel, loop alone", "reference formula"


class Row(NamedTuple):
    """An operator's name, how its forward and plain first backward run, and why not by a kernel."""

    name: str
    forward: str
    backward: str
    why: str


def rows() -> Iterator[Row]:
    """A row per formula of the library, by name."""
    for name in sorted(entry.__name__ for entry in FORMULAS if FORMULAS.of_library(entry)):
        entry = FORMULAS[name]
        if type(entry) is Formula:
            yield _row(name, entry)
        else:
            yield Row(name, "operators", "operators", "a plain function of other operators")


def _row(name: str, entry: Formula) -> Row:
    operator = entry.operator
    forms = kernels.attribute_forms(operator)
    form = (kernels.attribute_form(operator, 0) if forms else kernels.compiled_form(operator)) or operator
    forward = kernels.forward_layout(form)
    differentiable = tuple(param.differentiable for param in operator.inputs)
    results = operator.n_results + operator.n_hidden
    defined = tuple(k < operator.n_results and k not in operator.nondifferentiable for k in range(results))
    backward = None
    if forward is not None and any(defined) and any(differentiable):
        backward = kernels.backward_layout(form, form.backward(defined, differentiable))
    why = "" if forward is not None and forms is None else _why(operator, forward is not None)
    return Row(name, _how(forward), _how(backward), why)


def _how(layout: Any) -> str:
    if layout is None:
        return FORMULA
    return LOOP if layout.flat else KERNEL


def _why(operator: Any, usual: bool) -> str:
    if usual:
        return "over all axes, the last or the first; by pb.compile over others"
    if operator.attributes:
        names = ", ".join(param.var.name for param in operator.attributes)
        return f"attributes ({names}): a kernel per value, by pb.compile"
    return "not compiled ahead"


def counts(found: list[Row]) -> str:
    """The number of operators that run by a kernel, forward and backward."""
    forward = sum(row.forward in (KERNEL, LOOP) for row in found)
    backward = sum(row.backward in (KERNEL, LOOP) for row in found)
    return f"{len(found)} operators: {forward} forward and {backward} backward by a kernel"
