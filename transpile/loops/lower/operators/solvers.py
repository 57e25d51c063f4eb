"""Solutions, inverses, determinants and factors of matrices: calls of functions that LAPACK is behind."""

from __future__ import annotations

from ....ir import Eqn, Literal, Var
from ....passes.kernel.types import FLOATS, floating, join
from ...expressions import Expression, Number, Text, run, shape
from ..plan import Plan


def add_solver(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An operator of one stack of matrices, or of two."""
    kind = floating(join(plan.of(atom).type for atom in eqn.args))
    if kind not in FLOATS:
        raise plan.refuse(f"{eqn.op} of numbers is not compiled")
    operands = [plan.array_of(atom, kind) for atom in eqn.args]
    shapes = [shape(fact.node) for fact in operands]
    whole = {
        "solve": run("solved_shape", *shapes),
        "det": run("part_shape", shapes[0], Text("")),
        "pinv": run("part_shape", shapes[0], Text("nm")),
    }.get(eqn.op, shapes[0])
    level = max(fact.level for fact in operands)
    more = [_least(plan, eqn)] if eqn.op == "pinv" else []
    view = plan.target(out, kind, whole, level)
    plan.call(level, run(eqn.op, *(fact.node for fact in operands), *more, view))
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level + 1)


def _least(plan: Plan, eqn: Eqn) -> Expression:
    """The `rcond` of `pinv`; NumPy's where none is given."""
    given = eqn.kwarg("rcond")
    if given is None or given == Literal(None):
        return Number(1e-15, "double")
    scalar = plan.values.scalar(given)
    if scalar is None:
        raise plan.refuse("pinv by such an rcond is not compiled")
    return scalar.to("double").node


SOLVERS = dict.fromkeys(("solve", "inv", "det", "cholesky", "pinv"), add_solver)
