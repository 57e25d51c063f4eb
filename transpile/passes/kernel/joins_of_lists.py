"""Joins of lists that loops fill, by the axis that NumPy chooses for arrays of so many axes.

In: a formula before it is differentiated, for arguments whose numbers of axes are known. Out: the formula in
which ``np.vstack`` and ``np.hstack`` of a list of vectors, or of matrices, is the stack or concatenation that
it comes to. One that is written out may join arrays of several numbers of axes, and is left.

>>> from ...ir.types import TensorType
>>> from ...library import formula_in
>>> from ...printer import block_text
>>> rows = formula_in('''
... def rows(x):
...     found = []
...     for row in x:
...         found.append(row * 2)
...     return np.vstack(found)
... ''')
>>> known = rows.evolve(types=((rows.params[0].var, TensorType(("n", "m"), "float64")),))
>>> print(block_text(with_joins_of_lists(known).forward))
_1 = shape(x)
_2 = item(_1, 0)
found = for(_2)
  each iteration:
    row = getitem(x, index=iteration)
    _3 = multiply(row, 2)
    return _3
_4 = stack(found, axis=0)
return _4
"""

from __future__ import annotations

from dataclasses import replace

from ...analysis.types import Types, param_types, types_of
from ...ir import Block, Eqn, Formula, Literal, Var
from ...ir.types import ListType, rank_of

_JOINS = frozenset({"vstack", "hstack"})


def with_joins_of_lists(formula: Formula) -> Formula:
    """The formula whose joins of lists that loops fill say along which axis they go."""
    if formula.promoted or all(eqn.op not in _JOINS for eqn in formula.forward.every()):
        return formula
    types = types_of(formula.forward.eqns, param_types(formula))
    return formula.evolve(forward=_block(formula.forward, types))


def _block(block: Block, types: Types) -> Block:
    return replace(block, eqns=tuple(_equation(eqn, types) for eqn in block.eqns))


def _equation(eqn: Eqn, types: Types) -> Eqn:
    if eqn.blocks:
        return replace(eqn, blocks=tuple(_block(inner, types) for inner in eqn.blocks))
    found = types.get(eqn.args[0]) if eqn.op in _JOINS and isinstance(eqn.args[0], Var) else None
    if not isinstance(found, ListType) or found.items or found.element is None:
        return eqn
    rank, rows = rank_of(found.element), eqn.op == "vstack"
    if not rank:
        return eqn
    axis = Literal(0 if rows or rank == 1 else 1)
    return replace(eqn, op="stack" if rows and rank == 1 else "concatenate", kwargs=(("axis", axis),))
