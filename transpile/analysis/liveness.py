"""Which results of an `if` are used later: the others are dropped.

In: a formula as it was read. Out: the same formula, in which an `if` has only
those results. Names that both branches happen to bind would otherwise look
like values that flow out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir import Block, Eqn, Formula, Var


def prune(formula: Formula) -> Formula:
    """The formula without unused results of branches."""
    pullback = formula.pullback
    after = {*_variables(formula.forward.results), *(var for var, _ in formula.rules)}
    if pullback is not None:
        kept = _prune(pullback.eqns, _variables(pullback.results))
        pullback = Block(pullback.params, kept, pullback.results)
        after |= set(pullback.free())
    forward = Block(formula.forward.params, _prune(formula.forward.eqns, after), formula.forward.results)
    return formula.evolve(forward=forward, pullback=pullback)


def _variables(atoms: Iterable[object]) -> set[Var]:
    return {atom for atom in atoms if isinstance(atom, Var)}


def _prune(eqns: Sequence[Eqn], after: set[Var]) -> tuple[Eqn, ...]:
    live, kept = set(after), list[Eqn]()
    for eqn in reversed(eqns):
        if eqn.op == "if":
            eqn = _branch(eqn, live)
            if not eqn.outs and not any(block.eqns for block in eqn.blocks):
                continue
        live.update(var for block in eqn.blocks for var in block.free())
        live.update(eqn.reads())
        kept.append(eqn)
    return tuple(reversed(kept))


def _branch(eqn: Eqn, live: set[Var]) -> Eqn:
    chosen = [index for index, out in enumerate(eqn.outs) if out in live]
    blocks = []
    for block in eqn.blocks:
        results = tuple(block.results[index] for index in chosen)
        blocks.append(Block(block.params, _needed(_prune(block.eqns, _variables(results)), results), results))
    return Eqn(tuple(eqn.outs[i] for i in chosen), eqn.op, eqn.args, eqn.kwargs, tuple(blocks), eqn.span)


def _needed(eqns: Sequence[Eqn], results: Sequence[object]) -> tuple[Eqn, ...]:
    """Equations of a branch that a result needs; opaque calls stay, for they may have effects."""
    live, kept = _variables(results), list[Eqn]()
    for eqn in reversed(eqns):
        effect = eqn.op == "opaque" or any(
            inner.op == "opaque" for block in eqn.blocks for inner in block.eqns
        )
        if effect or live.intersection(eqn.outs):
            live.update(eqn.reads(), (var for block in eqn.blocks for var in block.free()))
            kept.append(eqn)
    return tuple(reversed(kept))
