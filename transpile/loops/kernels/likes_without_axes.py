"""Likes of values without axes, made in the backward: only their dtype is to be known.

In: a promoted formula, and what is known of its values in the kernel. Out: the formula without such likes
among what is saved, and without lists of them of which the closure reads nothing but the elements.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...analysis.types import known_types
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...ir.types import rank_of
from ...rewrite import Namer, replace_block
from ..expressions import NO_SHAPE
from ..lower.facts import Fact


def with_likes_without_axes(formula: Formula, facts: Mapping[Var, Fact]) -> Formula:
    """The formula whose closure makes the likes of values without axes itself."""
    pullback = formula.pullback
    assert pullback is not None
    count = len(formula.forward.results) - len(formula.plain)
    namer = Namer.of(formula)
    likes: dict[str, Var] = {}
    first: list[Eqn] = []
    env: dict[Var, Atom] = {}
    gone: set[Var] = set()
    for var, atom in zip(formula.plain, formula.forward.results[count:], strict=True):
        fact = facts.get(atom) if isinstance(atom, Var) else None
        if fact is None:
            continue
        elements = _elements(pullback, var, fact.depth) if _is_list(fact) else {var}
        if elements is None or not (_is_list(fact) or (fact.kind == "like" and fact.known == NO_SHAPE)):
            continue
        if fact.type not in likes:
            made = _made(formula, fact.type, facts, namer)
            if not made:
                continue
            first += made
            likes[fact.type] = made[-1].outs[0]
        env |= dict.fromkeys(elements, likes[fact.type])
        gone.add(var)
    if not gone:
        return formula
    body = replace_block(_without(pullback, {*env, *gone}), env)
    kept = [k for k, var in enumerate(formula.plain) if var not in gone]
    results = (*formula.forward.results[:count], *(formula.forward.results[count + k] for k in kept))
    return formula.evolve(
        forward=Block(formula.forward.params, formula.forward.eqns, results),
        plain=tuple(formula.plain[k] for k in kept),
        pullback=Block(body.params, (*first, *body.eqns), body.results),
    )


def _is_list(fact: Fact) -> bool:
    return (fact.kind, fact.element, fact.literal) == ("collected", "like", ())


def _elements(block: Block, values: Var, depth: int) -> set[Var] | None:
    """The elements of a list that a block reads, and of lists in it; None where it reads anything else."""
    found: set[Var] = set()
    waiting = [(values, depth)]
    while waiting:
        owner, left = waiting.pop()
        if owner in {atom for inner in _blocks(block) for atom in inner.results}:
            return None
        for eqn in block.every():
            if owner not in eqn.reads():
                continue
            if eqn.op != "item" or eqn.args[0] != owner or eqn.args[1] == owner:
                return None
            if left > 1:
                waiting.append((eqn.outs[0], left - 1))
            found.add(eqn.outs[0])
    return found


def _blocks(block: Block) -> list[Block]:
    return [block, *(each for eqn in block.eqns for inner in eqn.blocks for each in _blocks(inner))]


def _without(block: Block, gone: set[Var]) -> Block:
    """The block without the equations that read elements of the lists."""
    eqns = []
    for eqn in block.eqns:
        if eqn.op == "item" and eqn.outs[0] in gone:
            continue
        blocks = tuple(_without(inner, gone) for inner in eqn.blocks)
        eqns.append(Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, blocks, eqn.span) if blocks else eqn)
    return Block(block.params, tuple(eqns), block.results)


def _made(formula: Formula, kind: str, facts: Mapping[Var, Fact], namer: Namer) -> list[Eqn]:
    """The equations that make the like of a value without axes of this type; empty where none can.

    The dtype is that of an array: what has no axes may be a number of Python's.
    """
    assert formula.pullback is not None
    kwargs: list[tuple[str, Atom]] = [("shape", Literal(()))]
    made: list[Eqn] = []
    if kind == "T":
        known = known_types(formula)
        arrays = (var for var in formula.pullback.free() if var.kind == "tensor" and rank_of(known[var]))
        source = next((var for var in arrays if facts[var].type == "T"), None)
        if source is None:
            return []
        dtype = namer.fresh("dtype", "value")
        made.append(Eqn((dtype,), "dtype", (source,), span=formula.span))
        kwargs.append(("dtype", dtype))
    elif kind != "double":
        return []
    zero = namer.fresh("zero")
    made.append(Eqn((zero,), "zeros", (), tuple(kwargs), span=formula.span))
    made.append(Eqn((namer.fresh("like_zero", "value"),), "like", (zero,), span=formula.span))
    return made
