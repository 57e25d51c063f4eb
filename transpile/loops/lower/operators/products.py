"""Matrix products, and sums of them that are computed where their result goes."""

from __future__ import annotations

from ....ir import Atom, Eqn, Literal, Var
from ....passes.kernel.types import FLOATS, join
from ...expressions import Choice, Expression, Infix, Name, Number, ask, call, node, rank, run, shape
from ..kernel import ShapeSet
from ..names import derived
from ..plan import Plan
from .arrangements import add_view
from .reductions import add_accumulate, add_sum_to, like_of


def add_matmul(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Matrix products, by calls between stages."""
    kind = join(plan.of(atom).type for atom in eqn.args)
    if kind not in FLOATS:
        raise plan.refuse("matmul is compiled for floats only")
    like = like_of(plan, eqn) if eqn.kwarg("like") is not None else None
    if like is not None and like.type != kind:
        _one_by_one(plan, eqn, out)
        return
    pairs = [(plan.array_of(a, kind), plan.array_of(b, kind)) for a, b in _pairs(eqn)]
    left, right = pairs[0]
    level = max([like.level if like else 0, *(fact.level for pair in pairs for fact in pair)])
    if like is None:
        view = plan.target(out, kind, run("matmul_shape", shape(left.node), shape(right.node)), level)
        known: ShapeSet = frozenset({("matmul", left.shape, right.shape)})
    else:
        view, known = plan.target(out, kind, like.node, level), like.shape
    target = _with_column(plan, eqn.kwarg("column"), view)
    output = plan.output_of.get(out) if like is not None and plan.only_written(out) else None
    added: list[Expression] = [] if output is None else [ask("adds", output)]
    for left, right in pairs:
        plan.call(level, run("matmul", left.node, right.node, target, *added))
        added = [node(True)]
    plan.array_fact(out, view, kind, known, level + 1)


def _pairs(eqn: Eqn) -> list[tuple[Atom, Atom]]:
    return list(zip(eqn.args[::2], eqn.args[1::2], strict=True))


def _with_column(plan: Plan, column: Atom | None, view: Name) -> Expression:
    """The view with a last axis of one element, where the result lacks it."""
    scalar = plan.values.scalar(column) if column is not None else None
    if scalar is None or scalar.literal is False:
        return view
    whole = call("expand_dims", view, Infix("<<", Number(1, "unsigned"), rank(shape(view))))
    return whole if scalar.literal is True else Choice(scalar.node, whole, view)


def _one_by_one(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Products of another type than the result: each is computed, then summed to its shape."""
    like, column = eqn.kwarg("like"), eqn.kwarg("column")
    if like is None or not isinstance(column, Literal):
        raise plan.refuse(
            "a product that widens to float64, for operands of other dtypes too, is not compiled here",
            "write math.sqrt(n) for np.sqrt(n) of a number, which is a float64 and widens what it meets",
        )
    total: Var | None = None
    for k, pair in enumerate(_pairs(eqn)):
        names = [derived(f"{out.name}_{what}{k}") for what in ("product", "column", "part", "total")]
        product, squeezed, part, both = names
        add_matmul(plan, Eqn((product,), "matmul", pair, (), (), eqn.span), product)
        if column.value:
            axis = (("axis", Literal(-1)),)
            add_view(plan, Eqn((squeezed,), "squeeze", (product,), axis, (), eqn.span), squeezed)
            product = squeezed
        if 2 * k + 2 == len(eqn.args) and total is None:
            part = out
        add_sum_to(plan, Eqn((part,), "sum_to", (product,), (("like", like),), (), eqn.span), part)
        if total is not None:
            both = out if 2 * k + 2 == len(eqn.args) else both
            add_accumulate(plan, Eqn((both,), "accumulate", (total, part), (), (), eqn.span), both)
        total = part if total is None else both
