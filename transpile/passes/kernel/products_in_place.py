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
from ...rewrite import defining, uses


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
    """The value that is squeezed where a condition holds and taken as it is elsewhere, and the condition."""
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
