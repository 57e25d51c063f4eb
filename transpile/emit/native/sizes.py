"""Sizes and shapes that a closure works out itself, from arrays that it reads anyway.

In: a promoted formula, and what is known of its arrays. Out: the formula without
those saved values. A caller that saves arrays alone needs no Python in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...ir import Block, Eqn, Formula, Var
from .facts import Fact

_ASKED = frozenset({"like", "size", "ndim", "shape"})


def with_own_sizes(formula: Formula, facts_of: Callable[[Sequence[Var]], dict[Var, Fact]]) -> Formula:
    """The formula whose saved sizes are worked out in the closure where it reads an array of that size.

    `facts_of` tells shapes and types of variables of the forward.
    """
    assert formula.pullback is not None
    asked = _asked(formula)
    if not asked:
        return formula
    free = formula.pullback.free()
    params = [param.var for param in formula.params]
    there = [var for var in (*params, *formula.forward.results) if isinstance(var, Var) and var in free]
    arrays = [var for var in dict.fromkeys(there) if var.kind == "tensor"]
    facts = facts_of([*arrays, *(tensor for _, tensor in asked.values())])
    moved = []
    for plain, (op, tensor) in asked.items():
        source = next((var for var in arrays if _same(op, facts, var, tensor)), None)
        if source is not None:
            moved.append(Eqn((plain,), op, (source,)))
    if not moved:
        return formula
    gone = {eqn.outs[0] for eqn in moved}
    forward, pullback = formula.forward, formula.pullback
    count = len(forward.results) - len(formula.plain)
    kept = [k for k, var in enumerate(formula.plain) if var not in gone]
    results = (*forward.results[:count], *(forward.results[count + k] for k in kept))
    return formula.evolve(
        forward=Block(forward.params, forward.eqns, results),
        plain=tuple(formula.plain[k] for k in kept),
        pullback=Block(pullback.params, (*moved, *pullback.eqns), pullback.results),
    )


def _asked(formula: Formula) -> dict[Var, tuple[str, Var]]:
    """The saved values that say something of an array's shape: the operator, and the array."""
    plain = set(formula.plain)
    return {
        eqn.outs[0]: (eqn.op, eqn.args[0])
        for eqn in formula.forward.eqns
        if eqn.op in _ASKED
        and eqn.outs[0] in plain
        and eqn.outs[0] in formula.forward.results
        and not eqn.kwargs
        and len(eqn.args) == 1
        and isinstance(eqn.args[0], Var)
        and eqn.args[0].kind == "tensor"
    }


def _same(op: str, facts: dict[Var, Fact], var: Var, tensor: Var) -> bool:
    one, other = facts.get(var), facts.get(tensor)
    if one is None or other is None or "number" in (one.kind, other.kind):
        return False
    return one.shape == other.shape and (op != "like" or one.type == other.type)
