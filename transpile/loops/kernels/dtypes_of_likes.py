"""Dtypes that a closure reads of a like: a kernel is given arrays, numbers and likes.

In: a promoted formula. Out: the formula that saves ``like(u)`` where it saved ``u.dtype``.
"""

from __future__ import annotations

from ...ir import Atom, Block, Eqn, Formula, Var
from ...rewrite import Namer


def with_dtypes_of_likes(formula: Formula) -> Formula:
    """The formula whose closure reads each saved dtype of a like."""
    forward, pullback = formula.forward, formula.pullback
    assert pullback is not None
    count = len(forward.results) - len(formula.plain)
    made = {eqn.outs[0]: eqn for eqn in forward.eqns if eqn.op == "dtype"}
    namer = Namer.of(formula)
    plain, results = list(formula.plain), list(forward.results)
    likes: list[Eqn] = []
    reads: list[Eqn] = []
    for k, var in enumerate(formula.plain):
        atom: Atom = results[count + k]
        if not isinstance(atom, Var) or atom not in made:
            continue
        asked = made[atom]
        like = namer.fresh(f"like_{asked.args[0]}", "value")
        likes.append(Eqn((like,), "like", asked.args, (), (), asked.span))
        reads.append(Eqn((var,), "dtype", (like,), (), (), asked.span))
        plain[k] = results[count + k] = like
    if not likes:
        return formula
    return formula.evolve(
        forward=Block(forward.params, (*forward.eqns, *likes), tuple(results)),
        plain=tuple(plain),
        pullback=Block(pullback.params, (*reads, *pullback.eqns), pullback.results),
    )
