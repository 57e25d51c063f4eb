"""Matrix products that are computed where their result goes.

In: the equations of a kernel, inlined. Out: the same, where a product that is
only summed to the shape of an operand is one equation with that sum, and so is a
sum of such products: ``matmul(a, b, a2, b2, ..., like=, column=)``. A product
needs no memory of its own then, and the sum over a stack happens inside it.
`column` says whether the result lacks the last axis, as that of a matrix and a
vector does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ...ir import Atom, Block, Eqn, Literal, Var
from ...loops.expressions import Choice, Expression, Infix, Name, Number, ask, call, node, rank, run, shape
from ...rewrite import defining, uses
from .arrangements import add_view
from .kernel import ShapeSet
from .names import derived
from .plan import Plan
from .reductions import add_accumulate, add_sum_to, like_of
from .types import FLOATS, join


def with_products_in_place(block: Block) -> Block:
    """The block with its products joined to the sums over them."""
    made = defining(block.eqns)
    counts = uses(block)
    eqns = []
    gone: set[Var] = set()
    for eqn in block.eqns:
        joined = _summed(eqn, made, counts) or _added(eqn, made, counts)
        if joined is not None:
            eqn, parts = joined
            made[eqn.outs[0]] = eqn
            gone.update(parts)
        eqns.append(eqn)
    return Block(block.params, tuple(eqn for eqn in eqns if not gone.intersection(eqn.outs)), block.results)


def _summed(eqn: Eqn, made: dict[Var, Eqn], counts: Counter[Var]) -> tuple[Eqn, list[Var]] | None:
    """A sum of a product that nobody else reads, and what is not needed any more."""
    value, like = (eqn.args[0], eqn.kwarg("like")) if eqn.op == "sum_to" else (None, None)
    if not isinstance(value, Var) or like is None or counts[value] != 1 or value not in made:
        return None
    maker, parts = made[value], [value]
    product: Atom | None = value
    column: Atom = Literal(False)
    if maker.op == "squeeze" and _is_last(maker):
        product, column = maker.args[0], Literal(True)
    elif maker.op == "if" and len(maker.outs) == 1:
        product, column = _of_choice(maker)
    if product is not value:
        if not isinstance(product, Var) or counts[product] != (2 if maker.op == "if" else 1):
            return None
        parts.append(product)
        maker = made.get(product, eqn)
    if maker.op != "matmul" or maker.kwargs:
        return None
    kwargs = (("like", like), ("column", column))
    return Eqn(eqn.outs, "matmul", maker.args, kwargs, (), maker.span), parts


def _of_choice(eqn: Eqn) -> tuple[Atom | None, Atom]:
    """What is squeezed where a condition holds and taken as it is elsewhere, and the condition."""
    then, other = eqn.blocks
    squeezed = then.eqns[0] if len(then.eqns) == 1 and then.results == then.eqns[0].outs else None
    if squeezed is None or squeezed.op != "squeeze" or not _is_last(squeezed) or other.eqns:
        return None, Literal(False)
    return (other.results[0] if other.results == squeezed.args else None), eqn.args[0]


def _is_last(eqn: Eqn) -> bool:
    axis = eqn.kwarg("axis")
    return isinstance(axis, Literal) and axis.value in (-1, (-1,))


def _added(eqn: Eqn, made: dict[Var, Eqn], counts: Counter[Var]) -> tuple[Eqn, list[Var]] | None:
    """The sum of two sums of products to one shape."""
    if eqn.op != "accumulate":
        return None
    parts = [atom for atom in eqn.args if isinstance(atom, Var) and counts[atom] == 1]
    terms = [made[var] for var in parts if var in made]
    if len(terms) != 2 or any(term.op != "matmul" or not term.kwargs for term in terms):
        return None
    first, second = terms
    if first.kwargs != second.kwargs:
        return None
    return replace(first, outs=eqn.outs, args=(*first.args, *second.args)), parts


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
        raise plan.refuse("a product of another type than its gradient's is not compiled")
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
