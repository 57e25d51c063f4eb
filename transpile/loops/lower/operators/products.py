"""Matrix products, and sums of them that are computed where their result goes."""

from __future__ import annotations

from ....ir import Atom, Eqn, Var
from ....passes.kernel.types import FLOATS, join
from ...expressions import Choice, Expression, Infix, Name, Number, ask, call, node, rank, run, shape
from ..kernel import ShapeSet
from ..names import derived
from ..plan import Plan
from .reductions import add_sum_to, like_of


def add_matmul(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Matrix products, by calls between stages."""
    kind = join(plan.of(atom).type for atom in eqn.args)
    if kind not in FLOATS:
        raise plan.refuse("matmul is compiled for floats only")
    like = like_of(plan, eqn) if eqn.kwarg("like") is not None else None
    pairs = [(plan.array_of(a, kind), plan.array_of(b, kind)) for a, b in _pairs(eqn)]
    left, right = pairs[0]
    level = max([like.level if like else 0, *(fact.level for pair in pairs for fact in pair)])
    # Where the result has another type, it is one of the products' first.
    made = out if like is None or like.type == kind else derived(f"{out.name}'{kind}")
    if like is None:
        view = plan.target(out, kind, run("matmul_shape", shape(left.node), shape(right.node)), level)
        known: ShapeSet = frozenset({("matmul", left.shape, right.shape)})
    else:
        view, known = plan.target(made, kind, like.node, level), like.shape
    target = _with_column(plan, eqn.kwarg("column"), view)
    output = plan.output_of.get(made) if like is not None and plan.only_written(made) else None
    added: list[Expression] = [] if output is None else [ask("adds", output)]
    for left, right in pairs:
        plan.call(level, run("matmul", left.node, right.node, target, *added))
        added = [node(True)]
    plan.array_fact(made, view, kind, known, level + 1)
    if made is not out:
        given = [(name, atom) for name, atom in eqn.kwargs if name == "like"]
        add_sum_to(plan, Eqn((out,), "sum_to", (made,), tuple(given), (), eqn.span), out)


def _pairs(eqn: Eqn) -> list[tuple[Atom, Atom]]:
    return list(zip(eqn.args[::2], eqn.args[1::2], strict=True))


def _with_column(plan: Plan, column: Atom | None, view: Name) -> Expression:
    """The view with a last axis of one element, where the result lacks it."""
    scalar = plan.values.scalar(column) if column is not None else None
    if scalar is None or scalar.literal is False:
        return view
    whole = call("expand_dims", view, Infix("<<", Number(1, "unsigned"), rank(shape(view))))
    return whole if scalar.literal is True else Choice(scalar.node, whole, view)
