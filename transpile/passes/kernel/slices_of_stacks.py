"""Elements of a stack's gradient, read as its slices.

In: a promoted formula. Out: the same, where the pullback reads elements of the gradient of a stack whose
parts have one shape as slices of it. Then no list is made of them, and the shapes of the parts, of each
iteration one, are not saved.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...analysis.types import known_types
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...ir.type_joins import is_uniform
from ...ir.types import LikeType, ListType, Type
from ..simplify.simplify import remove_dead


def with_slices_of_stacks(formula: Formula) -> Formula:
    """The formula whose pullback takes slices of stacks in place of elements of lists of them."""
    pullback = formula.pullback
    if pullback is None:
        return formula
    known = known_types(formula)
    stacks = {eqn.outs[0]: eqn.args[0] for eqn in pullback.eqns if _takes_apart(eqn, known)}
    if not stacks:
        return formula
    eqns = remove_dead([_sliced(eqn, stacks) for eqn in pullback.eqns], pullback.results)
    sliced = Block(pullback.params, tuple(eqns), pullback.results)
    unread = set(pullback.free()) - set(sliced.free())
    results = formula.forward.results
    first = len(results) - len(formula.plain)
    values = zip(formula.plain, results[first:], strict=True)
    saved = [(var, atom) for var, atom in values if var not in unread]
    forward = Block(
        formula.forward.params, formula.forward.eqns, (*results[:first], *(atom for _, atom in saved))
    )
    return formula.evolve(forward=forward, plain=tuple(var for var, _ in saved), pullback=sliced)


def _takes_apart(eqn: Eqn, known: Mapping[Var, Type]) -> bool:
    """True for a list of the slices of an array along its first axis, which have one shape each."""
    if eqn.op != "unstack_like" or eqn.kwarg("axis") not in (None, Literal(0)):
        return False
    likes = eqn.kwarg("likes")
    found = known.get(likes) if isinstance(likes, Var) else None
    return isinstance(found, LikeType) and isinstance(found.of, ListType) and is_uniform(found.of)


def _sliced(eqn: Eqn, stacks: Mapping[Var, Atom]) -> Eqn:
    whole = stacks.get(eqn.args[0]) if eqn.op == "item" and isinstance(eqn.args[0], Var) else None
    if whole is not None:
        return Eqn(eqn.outs, "getitem", (whole,), (("index", eqn.args[1]),), span=eqn.span)
    if not eqn.blocks:
        return eqn
    blocks = tuple(
        Block(block.params, tuple(_sliced(inner, stacks) for inner in block.eqns), block.results)
        for block in eqn.blocks
    )
    return Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, blocks, eqn.span)
