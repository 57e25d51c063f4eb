"""Lost gradient paths: where the closure cuts the way that a second derivative takes.

In: a formula as it was read. Out: a finding (PB102) for each place where a
captured value or an incoming gradient is wrapped as a fresh variable, detached,
or made a plain number. The first derivative is right there; the second is
silently wrong, which is what this project exists to prevent.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..codes import diagnostic
from ..diagnostics import Diagnostic
from ..ir import Eqn, Formula, Var
from .differentiability import Flow, flows, leaves_the_graph, propagate
from .facts import Facts


def lost_paths(formula: Formula, facts: Facts, losing: Iterable[str]) -> list[Diagnostic]:
    """Findings for calls of `losing` functions on what carries a gradient."""
    if formula.pullback is None or formula.options.first_order_only:
        return []
    names = frozenset(losing)
    env = flows(formula)
    env.update(dict.fromkeys(formula.pullback.params, Flow.DIFFERENTIABLE))
    propagate(formula.pullback.eqns, env, {})
    found = []
    for eqn in formula.pullback.every():
        if not _loses(eqn, facts, names):
            continue
        lost = [var for var in eqn.reads() if env.get(var, Flow.NONE) > Flow.NONE]
        if lost:
            found.append(lost_path(eqn, lost[0], formula, facts))
    return found


def _loses(eqn: Eqn, facts: Facts, names: frozenset[str]) -> bool:
    return leaves_the_graph(eqn) or (eqn.op == "opaque" and facts.opaque.get(eqn.outs[0], "") in names)


def lost_path(eqn: Eqn, lost: Var, formula: Formula, facts: Facts) -> Diagnostic:
    """The finding about an equation that makes a fresh value of `lost`."""
    name = facts.label(lost)
    callee = eqn.kwarg("callee")
    how = f"`{callee}`".replace("'", "") if callee is not None else f"`{eqn.op}`"
    return diagnostic(
        "PB102",
        f"{how} makes a fresh value of `{name}`: the path from it back to the inputs is lost, "
        "and second derivatives would be silently wrong",
        eqn.span or formula.span,
        name=formula.name,
        value=name,
        hint=f"use `{name}` as it is: derivatives of every order then stay right",
    )
