"""Solutions, inverses, determinants and factors of matrices: calls of functions that LAPACK is behind."""

from __future__ import annotations

from ...ir import Eqn, Literal, Var
from .plan import Plan
from .types import FLOATS, floating, join


def add_solver(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An operator of one stack of matrices, or of two."""
    kind = floating(join(plan.of(atom).type for atom in eqn.args))
    if kind not in FLOATS:
        raise plan.refuse(f"{eqn.op} of numbers is not compiled")
    operands = [plan.array_of(atom, kind) for atom in eqn.args]
    shapes = [f"{fact.text}.shape" for fact in operands]
    shape = {
        "solve": f"pb::solved_shape(context, {', '.join(shapes)})",
        "det": f'pb::part_shape(context, {shapes[0]}, "")',
        "pinv": f'pb::part_shape(context, {shapes[0]}, "nm")',
    }.get(eqn.op, shapes[0])
    level = max(fact.level for fact in operands)
    more = [_least(plan, eqn)] if eqn.op == "pinv" else []
    view = plan.target(out, kind, shape, level)
    arguments = ["context", *(fact.text for fact in operands), *more, view]
    plan.call(level, f"pb::{eqn.op}({', '.join(arguments)});")
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level + 1)


def _least(plan: Plan, eqn: Eqn) -> str:
    """The `rcond` of `pinv`; NumPy's where none is given."""
    given = eqn.kwarg("rcond")
    if given is None or given == Literal(None):
        return "1e-15"
    expr = plan.values.expr(given)
    if expr is None:
        raise plan.refuse("pinv by such an rcond is not compiled")
    return expr.to("double").text


SOLVERS = dict.fromkeys(("solve", "inv", "det", "cholesky", "pinv"), add_solver)
