"""Names for people: what flows out of an `if` keeps the author's name, what is inside is numbered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from ..analysis.facts import Facts
from ..ir import Eqn, Formula, Var
from ..rewrite import rename

_T = TypeVar("_T")


def prefer_outer_names(formula: Formula, facts: Facts) -> tuple[Formula, Facts]:
    """Swap ``t`` inside a branch and ``t_2``, the value after it, so that the latter is ``t``."""
    swaps: dict[Var, Var] = {}
    for eqn in formula.every():
        if eqn.op == "if":
            _swap(eqn, facts, swaps)
    if not swaps:
        return formula, facts
    pullback = formula.pullback
    formula = formula.evolve(
        forward=rename(formula.forward, swaps),
        pullback=rename(pullback, swaps) if pullback is not None else None,
        rules=tuple((swaps.get(var, var), grad) for var, grad in formula.rules),
    )
    return formula, Facts(
        _keys(facts.defined, swaps),
        _keys(facts.used, swaps),
        _keys(facts.origin, swaps),
        _keys(facts.opaque, swaps),
        facts.source,
    )


def _swap(eqn: Eqn, facts: Facts, swaps: dict[Var, Var]) -> None:
    inside = {out.name: out for block in eqn.blocks for inner in block.every() for out in inner.outs}
    for out in eqn.outs:
        wanted = facts.origin.get(out, out.name)
        holder = inside.get(wanted)
        if holder is None or wanted == out.name or holder in swaps or out in swaps:
            continue
        swaps[out] = out._replace(name=holder.name)
        swaps[holder] = holder._replace(name=out.name)


def _keys(table: Mapping[Var, _T], swaps: Mapping[Var, Var]) -> dict[Var, _T]:
    return {swaps.get(var, var): value for var, value in table.items()}
