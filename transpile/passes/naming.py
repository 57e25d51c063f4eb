"""Names for saved temporaries, so that emitted signatures read well.

In: a formula whose forward returns its results and hidden outputs. Out: the
same formula, where a temporary that crosses from the forward into the pullback
is named after the operator that computes it: ``_4 = sum(...)`` becomes ``sum_1``.
"""

from __future__ import annotations

from ..ir import Atom, Block, Eqn, Formula, Var
from .rewrite import Namer, defining, replace_atom, replace_block, replace_eqn


def name_saved(formula: Formula) -> Formula:
    """The formula whose saved temporaries have names."""
    assert formula.pullback is not None
    table, namer = defining(formula.forward.eqns), Namer.of(formula)
    env: dict[Var, Atom] = {}
    for var in formula.pullback.free():
        if var.temp and var in table:
            env[var] = namer.fresh(f"{_word(table[var])}_1", var.kind)
    if not env:
        return formula
    forward = formula.forward
    eqns = tuple(_renamed(eqn, env) for eqn in forward.eqns)
    results = tuple(replace_atom(atom, env) for atom in forward.results)
    hidden = tuple(new for var in formula.hidden if isinstance(new := replace_atom(var, env), Var))
    return formula.evolve(
        forward=Block(forward.params, eqns, results),
        pullback=replace_block(formula.pullback, env),
        hidden=hidden,
    )


def _word(eqn: Eqn) -> str:
    return "value" if eqn.op == "if" else eqn.op.rpartition(".")[2]


def _renamed(eqn: Eqn, env: dict[Var, Atom]) -> Eqn:
    moved = replace_eqn(eqn, env)
    outs = tuple(new for var in eqn.outs if isinstance(new := env.get(var, var), Var))
    return Eqn(outs, moved.op, moved.args, moved.kwargs, moved.blocks, moved.span)
