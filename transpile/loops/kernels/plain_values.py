"""Values that are no arrays and that a backward reads: shapes, types, numbers.

An engine knows some by itself: an input's shape and dtype, its number of axes, a size, an attribute
(`place_of`). Of the others the kernel says those that it knows before it runs (`with_plain_values`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ..lower.control import ends_by_elements
from ..lower.equations import planned
from ..lower.facts import Fact
from ..lower.kernel import Kernel, PlainResult
from ..lower.plan import Plan
from .decided_by_elements import decided_by_elements
from .formula_kernels import Compiled

_INDEXED = ("getitem", "unslice", "index_put", "last_written")
_NUMBERS = {"weak int": "int", "weak bool": "bool", "weak float": "float"}


class Place(NamedTuple):
    """The place where an engine finds a value.

    `kind` "attribute": the attribute of this number; "like": shape and dtype of this input; "rank": whether
    it has `axes` axes; "none": whether this input is None; "size": the number of elements of this input, or
    of an output, counted after them.
    """

    kind: str
    number: int
    axes: int = 0


def place_of(formula: Formula, atom: Atom) -> Place | None:
    """The place where an engine finds a plain value of a promoted formula by itself, or None."""
    forward = formula.forward
    attributes = [param.var for param in formula.params if param.attribute]
    inputs: list[Atom] = [param.var for param in formula.params if not param.attribute]
    arrays = [*inputs, *forward.results[: len(forward.results) - len(formula.plain)]]
    if isinstance(atom, Var) and atom in attributes:
        return Place("attribute", attributes.index(atom))
    source = _read_by(forward, atom, "like")
    if source is not None and source in inputs:
        return Place("like", inputs.index(source))
    ranked = _rank_of(forward, atom)
    if ranked is not None and ranked[0] in inputs:
        return Place("rank", inputs.index(ranked[0]), ranked[1])
    absent = _read_by(forward, atom, "is_none")
    if absent is not None and absent in inputs:
        return Place("none", inputs.index(absent))
    sized = _read_by(forward, atom, "size")
    return Place("size", arrays.index(sized)) if sized is not None and sized in arrays else None


def with_plain_values(kernel: Kernel, formula: Formula) -> Kernel:
    """The kernel of a formula's forward, which gives the plain values that engines don't find."""
    first = len(formula.forward.results) - len(formula.plain)
    named = enumerate(zip(formula.forward.results, kernel.block.results, strict=True))
    unknown = [(k, now) for k, (atom, now) in named if k >= first and place_of(formula, atom) is None]
    if not unknown:
        return kernel
    plan = planned(kernel)
    if any(map(ends_by_elements, kernel.block.eqns)) or _picks_by_mask(plan, kernel.block):
        return kernel  # lengths are not known before it runs
    decided = decided_by_elements(kernel.block)
    found = [
        (k, atom, _kind(plan.of(atom)))
        for k, atom in unknown
        if isinstance(atom, Var) and atom not in decided
    ]
    return replace(kernel, plain_results=tuple(PlainResult(k, atom, kind) for k, atom, kind in found if kind))


def with_plain_results(compiled: Compiled) -> Compiled:
    """The kernels, of which those of forwards give their plain values."""
    derivative = compiled.derivative
    return replace(
        compiled,
        forward=with_plain_values(compiled.forward, compiled.formula),
        derivative=None if derivative is None else with_plain_results(derivative),
    )


def _kind(fact: Fact) -> str:
    """The kind as which a kernel returns it; empty where it can't."""
    if fact.element == "maybe" or fact.known is None:
        return ""
    if fact.kind == "number":
        return _NUMBERS.get(fact.type, "")
    return fact.kind if fact.kind in ("like", "shape") else ""


def _picks_by_mask(plan: Plan, block: Block) -> bool:
    """True where some array is indexed by a mask, or by what stands in a block inside and may be one."""

    def is_mask(item: Atom, inside: bool) -> bool:
        if not isinstance(item, Var) or item.kind != "tensor":
            return False
        return inside or plan.of(item).type == "bool"

    def picks(eqn: Eqn, inside: bool) -> bool:
        index = eqn.kwarg("index")
        if eqn.op in _INDEXED and index is not None:
            items = (index,) if inside or isinstance(index, Literal) else plan.values.elements(index)
            if any(is_mask(item, inside) for item in items):
                return True
        return any(picks(one, True) for inner in eqn.blocks for one in inner.eqns)

    return any(picks(eqn, False) for eqn in block.eqns)


def _rank_of(block: Block, atom: Atom) -> tuple[Atom, int] | None:
    """The tensor and the number for ``tensor.ndim == number``."""
    for eqn in block.eqns:
        if atom in eqn.outs and eqn.op == "equal" and isinstance(eqn.args[1], Literal):
            source = _read_by(block, eqn.args[0], "ndim")
            number = eqn.args[1].value
            return (source, number) if source is not None and isinstance(number, int) else None
    return None


def _read_by(block: Block, atom: Atom, op: str) -> Atom | None:
    """The operand of the equation with this operator that gives the atom."""
    return next((eqn.args[0] for eqn in block.eqns if eqn.op == op and atom in eqn.outs), None)
