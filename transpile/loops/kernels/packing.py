"""Saved values that only the forward's kernel knows, as rows of numbers that it hands to the backward.

Shapes and numbers of a loop's iterations, shapes inside another formula: Python would have to run the
forward again to know them. So are an index that a condition chooses, and a number that may be None.
In: a promoted formula, and what is known of its values. Out: for each such value the array that is
saved in its place, and the equation that reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...ir import STRUCTURAL, Atom, Block, Eqn, Formula, Literal, Var
from ...operators import OPERATORS, VALUE_CALLS
from ...passes.kernel.types import stored
from ...rewrite import Namer, slice_of
from ..lower.facts import Fact

_NUMBERS = {
    "weak int": "int",
    "int64_t": "int",
    "weak float": "float",
    "double": "strong",
    "weak bool": "bool",
    "bool": "bool",
}


@dataclass(frozen=True, slots=True)
class Packed:
    """A saved value as an array: `write` makes it in the forward, `read` the value of it in the backward."""

    rows: Var
    write: Eqn | None
    read: Eqn


def packed_values(formula: Formula, facts: Mapping[Var, Fact]) -> dict[Var, Packed]:
    """The saved values that are packed; one that was read of an input's rows is read of them again."""
    forward = formula.forward
    namer = Namer.of(formula)
    inputs = {param.var for param in formula.params}
    arrays = {atom for atom in forward.results if isinstance(atom, Var) and atom.kind == "tensor"}
    made = {eqn.outs[0]: eqn for eqn in forward.eqns if eqn.op == "unpacked"}
    found = {}
    for plain, atom in _saved(formula):
        if not isinstance(atom, Var) or atom not in facts:
            continue
        if atom in made and made[atom].args[0] in inputs:
            read = made[atom]
            (rows,) = read.reads()
            found[plain] = Packed(rows, None, Eqn((plain,), read.op, read.args, read.kwargs, (), read.span))
            continue
        kind = _kind_of(facts[atom])
        part = slice_of(forward.eqns, [atom], {*inputs, *arrays})
        is_list = facts[atom].kind == "collected"
        of_python = not is_list and not kind.startswith(("index", "maybe")) if kind else True
        if kind is None or (of_python and all(map(_is_cheap, part))):
            continue
        rows = namer.fresh(f"{plain.name}_rows")
        depth = facts[atom].depth if is_list else 0
        kwargs = (("kind", Literal(kind)), ("depth", Literal(depth)))
        write = Eqn((rows,), "packed", (atom,), kwargs, (), formula.span)
        found[plain] = Packed(rows, write, Eqn((plain,), "unpacked", (rows,), kwargs, (), formula.span))
    return found


def _is_cheap(eqn: Eqn) -> bool:
    """True where Python works it out of shapes without running a loop or another formula."""
    known = eqn.op in OPERATORS or eqn.op in STRUCTURAL or eqn.op in VALUE_CALLS
    return known and eqn.op != "for" and all(_is_cheap(inner) for block in eqn.blocks for inner in block.eqns)


def _kind_of(fact: Fact) -> str | None:
    """The kind of a value, in the words of ``unpacked``; None for what is not packed."""
    element = fact.element if fact.kind == "collected" else fact.kind
    if element in ("like", "shape"):
        return f"{element} {fact.type}"
    made = fact.eqn.op if fact.eqn is not None else ""
    if element == "index":
        single = fact.known is not None or fact.kind == "collected" or made == "slice"
        return "index" if single else f"index {len(fact.items)}" if made == "tuple" else None
    if element == "number" and fact.element == "maybe" and stored(fact.type) == "int64_t":
        return "maybe int"
    return _NUMBERS.get(fact.type) if element == "number" and fact.literal is None else None


def with_packed(formula: Formula, packed: Mapping[Var, Packed]) -> Formula:
    """The formula that saves the arrays, and whose closure reads the values of them."""
    if not packed or formula.pullback is None:
        return formula
    forward, pullback = formula.forward, formula.pullback
    count = len(forward.results) - len(formula.plain)
    kept: dict[Var, Atom] = {}
    for plain, atom in _saved(formula):
        each = packed.get(plain)
        if each is None:
            kept[plain] = atom
        elif each.write is not None:
            kept[each.rows] = each.rows
    writes = tuple(each.write for each in packed.values() if each.write is not None)
    reads = tuple(each.read for each in packed.values())
    results = (*forward.results[:count], *kept.values())
    return formula.evolve(
        forward=Block(forward.params, (*forward.eqns, *writes), results),
        plain=tuple(kept),
        pullback=Block(pullback.params, (*reads, *pullback.eqns), pullback.results),
    )


def reading(read: Iterable[Var], packed: Mapping[Var, Packed]) -> tuple[list[Var], list[Eqn]]:
    """The variables that a backward takes for these values, and the equations that read them of it."""
    rows = [packed[var].rows if var in packed else var for var in read]
    return list(dict.fromkeys(rows)), [packed[var].read for var in read if var in packed]


def _saved(formula: Formula) -> list[tuple[Var, Atom]]:
    """The plain values, under their names in the closure and in the forward."""
    count = len(formula.forward.results) - len(formula.plain)
    return list(zip(formula.plain, formula.forward.results[count:], strict=True))
