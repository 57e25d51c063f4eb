"""Liveness: the results of an `if` or a loop that are used later; the others are dropped.

In: a formula as it was read. Out: the same formula, in which an `if` has only
those results, and a loop collects only those lists. Names that both branches, or
an iteration, happen to bind would otherwise look like values that flow out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir import Block, Eqn, Formula, Var
from .effects import acts


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
        if eqn.op == "for":
            eqn = _loop(eqn, live)
        live.update(eqn.every_read())
        kept.append(eqn)
    return tuple(reversed(kept))


def _branch(eqn: Eqn, live: set[Var]) -> Eqn:
    chosen = [index for index, out in enumerate(eqn.outs) if out in live]
    blocks = []
    for block in eqn.blocks:
        results = tuple(block.results[index] for index in chosen)
        blocks.append(Block(block.params, _needed(_prune(block.eqns, _variables(results)), results), results))
    return Eqn(tuple(eqn.outs[i] for i in chosen), eqn.op, eqn.args, eqn.kwargs, tuple(blocks), eqn.span)


def _loop(eqn: Eqn, live: set[Var]) -> Eqn:
    """A loop that collects only what is read later."""
    (body,) = eqn.blocks
    carried = len(body.params) - 1
    chosen = [index for index, out in enumerate(eqn.outs) if index < carried or out in live]
    results = tuple(body.results[index] for index in chosen)
    body = Block(body.params, _prune(body.eqns, _variables(results)), results)
    return Eqn(tuple(eqn.outs[i] for i in chosen), eqn.op, eqn.args, eqn.kwargs, (body,), eqn.span)


def _needed(eqns: Sequence[Eqn], results: Sequence[object]) -> tuple[Eqn, ...]:
    """Equations of a branch that a result needs; what raises stays, and opaque calls, which may."""
    live, kept = _variables(results), list[Eqn]()
    for eqn in reversed(eqns):
        if acts(eqn) or live.intersection(eqn.outs):
            live.update(eqn.every_read())
            kept.append(eqn)
    return tuple(reversed(kept))
