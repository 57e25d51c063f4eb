"""Recomputation: what the closure computes again although the forward had it.

In: a formula as it was read. Out: advice (PB901), one finding per value.
"""

from __future__ import annotations

from ..codes import diagnostic
from ..diagnostics import Diagnostic
from ..ir import Atom, Eqn, Formula, Literal, Var
from ..operators import OPERATORS
from .facts import Facts

_CHEAP = frozenset(
    {"negative", "positive", "item", "slice", "tuple", "list", "shape", "like", "is_none", "not_"}
)


def recomputed(formula: Formula, facts: Facts) -> list[Diagnostic]:
    """Advice where an equation of the closure repeats one of the forward."""
    if formula.pullback is None:
        return []
    known = {_key(eqn, {}): eqn.outs[0] for eqn in formula.forward.eqns if _counts(eqn)}
    same: dict[Var, Var] = {}
    found = []
    for eqn in formula.pullback.eqns:
        if not _counts(eqn) or eqn.span is None:
            continue
        first = known.get(_key(eqn, same))
        if first is None:
            continue
        same[eqn.outs[0]] = first
        name = facts.label(first)
        found.append(
            diagnostic(
                "PB901",
                f"the closure computes `{name}` again"
                if not first.temp
                else "the closure computes a value again",
                eqn.span,
                name=formula.name,
                value=name,
                hint=f"use `{name}` of the forward: it is promoted, and derivatives stay right"
                if not first.temp
                else "give the value a name in the forward, and use it: it is promoted",
            )
        )
    return found


def _counts(eqn: Eqn) -> bool:
    info = OPERATORS.get(eqn.op)
    return info is not None and not info.view and eqn.op not in _CHEAP and eqn.outs[0].kind == "tensor"


def _key(eqn: Eqn, same: dict[Var, Var]) -> tuple[object, ...]:
    def canonical(atom: Atom) -> Atom:
        return same.get(atom, atom) if isinstance(atom, Var) else Literal(repr(atom.value), atom.strong)

    named = tuple(sorted(((key, canonical(value)) for key, value in eqn.kwargs), key=lambda pair: pair[0]))
    return (eqn.op, tuple(canonical(atom) for atom in eqn.args), named)
