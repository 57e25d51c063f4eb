"""Captured values that the pullback computes again instead of reading them saved.

In: a formula and the captured values to compute again. Out: the formula, whose
pullback begins with the equations that compute them, from what is saved anyway.

A captured view (``x.T``, ``t[..., :n]``) is always rebuilt from its base: a view
costs nothing, and saving the base lets its gradient flow without a hidden
output. Other values are recomputed where the author says so. Nothing opaque or
random is recomputed: it might give another value.

>>> from ...library import formula_in
>>> from ...printer import formula_text
>>> from .normalize import normalize
>>> formula = formula_in('''
... def first(x):
...     head = x[0]
...     def first_pullback(grad):
...         return 2 * grad * head
...     return head * head, first_pullback
... ''')
>>> print(formula_text(recompute_captures(normalize(formula))))
formula first(x: Tensor)
  forward:
    like_x = like(x)
    head = getitem(x, index=0)
    _1 = multiply(head, head)
    return result _1
  pullback(grad):
    head_1 = getitem(x, index=0)
    _2 = multiply(2, grad)
    _3 = multiply(_2, head_1)
    grad_x = sum_to(_3, like=like_x)
    return grad_x
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...analysis.aliases import bases
from ...analysis.effects import repeatable
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...rewrite import Namer, copy_eqns, defining, replace_block, slice_of


def recompute_captures(formula: Formula) -> Formula:
    """The formula whose pullback rebuilds captured views and computes again what the author named."""
    assert formula.pullback is not None
    table = defining(formula.forward.eqns)
    saved = {param.var for param in formula.params} | {var for var, _ in formula.rules}
    saved |= {atom for atom in formula.forward.results if isinstance(atom, Var)}
    saved |= {var for var in table if var.kind == "value"}
    captured = [var for var in formula.pullback.free() if var in table and var not in saved]
    views = bases(formula.forward.eqns)
    rebuilt = [var for var in captured if var in views]
    named = [var for var in captured if var.name in formula.options.recompute and var not in rebuilt]
    if rebuilt:
        formula = compute_again(formula, rebuilt, saved | (set(table) - set(views)))
    if named and repeatable(slice_of(formula.forward.eqns, named, saved)):
        formula = compute_again(formula, named, saved)
    return formula


def recompute_constants(formula: Formula) -> Formula:
    """The formula whose pullback makes slices and tuples of constants itself, and doesn't read them saved.

    A tuple with arrays, which is an index, is made of the arrays again: these are what is saved.
    """
    assert formula.pullback is not None
    table = defining(formula.forward.eqns)
    made = _of_constants(formula.forward.eqns)
    constant = [var for var in formula.pullback.free() if var.kind == "value" and var in made]
    formula = compute_again(formula, constant, ())
    assert formula.pullback is not None
    indices = [
        var
        for var in formula.pullback.free()
        if var in table and table[var].op == "tuple" and any(v.kind == "tensor" for v in table[var].reads())
    ]
    return compute_again(formula, indices, set(table) - set(indices))


def recompute_indices(formula: Formula) -> Formula:
    """The promoted formula whose pullback makes indices with slices itself: the numbers in them are saved."""
    assert formula.pullback is not None
    table = defining(formula.forward.eqns)
    made = {var for var, eqn in table.items() if eqn.op in ("slice", "tuple")}
    wanted = [var for var in formula.plain if var in made and _is_index(table[var], table)]
    formula = compute_again(formula, wanted, set(table) - made)
    assert formula.pullback is not None
    first = len(formula.forward.results) - len(formula.plain)
    left = [var for var in formula.plain if var not in wanted]
    known = {*left, *formula.forward.results[:first], *(param.var for param in formula.inputs)}
    plain = (*left, *(var for var in formula.pullback.free() if var not in known))
    forward = formula.forward
    return formula.evolve(
        forward=Block(forward.params, forward.eqns, (*forward.results[:first], *plain)), plain=plain
    )


def _is_index(eqn: Eqn, table: Mapping[Var, Eqn]) -> bool:
    """True for a slice, and for a tuple with one, an ellipsis or a new axis."""
    if eqn.op == "slice":
        return True
    if eqn.op != "tuple":
        return False
    return any(
        atom.value in (Ellipsis, None)
        if isinstance(atom, Literal)
        else atom in table and _is_index(table[atom], table)
        for atom in eqn.args
    )


def _of_constants(eqns: Sequence[Eqn]) -> set[Var]:
    """The values that equations make of nothing but constants."""
    made = set[Var]()
    for eqn in eqns:
        if made.issuperset(Block((), (eqn,), ()).free()):
            made.update(eqn.outs)
    return made


def compute_again(formula: Formula, wanted: Iterable[Var], leaves: Iterable[Var]) -> Formula:
    """Compute `wanted` at the beginning of the pullback, going back as far as `leaves`."""
    assert formula.pullback is not None
    wanted = sorted(wanted, key=lambda var: var.name)
    if not wanted:
        return formula
    env: dict[Var, Atom] = {}
    again = copy_eqns(
        slice_of(formula.forward.eqns, wanted, set(leaves) - set(wanted)), env, Namer.of(formula)
    )
    body = replace_block(formula.pullback, {var: env[var] for var in wanted})
    return formula.evolve(pullback=Block(body.params, (*again, *body.eqns), body.results))
