"""Comparisons with dtypes that kernels do not take, decided: arrays of these run on the formula's Python.

In: a formula. Out: the formula in which ``x.dtype == "float16"`` is False, so that the branch for such
arrays goes, and nothing of it is saved.

>>> from ...library import formula_in
>>> from ...printer import formula_text
>>> half = formula_in('''
... def half(x):
...     if x.dtype == np.float16:
...         return x * 0.25
...     return x * 0.5
... ''')
>>> print(formula_text(with_decided_dtypes(half)))
formula half(x: Tensor)
  forward:
    _4 = multiply(x, 0.5)
    return result _4
  pullback: to be derived
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir import Atom, Eqn, Formula, Literal, Var
from ...operators import DTYPES
from ...rewrite import replace_block
from .arguments import decided
from .types import OF_DTYPES


def with_decided_dtypes(formula: Formula) -> Formula:
    """The formula without branches for dtypes that its kernels do not take."""
    known: dict[Var, Atom] = {}
    _find(formula.forward.every(), known)
    if formula.pullback is not None:
        _find(formula.pullback.every(), known)
    if not known:
        return formula
    forward = replace_block(formula.forward, known)
    pullback = None if formula.pullback is None else replace_block(formula.pullback, known)
    return decided(formula.evolve(forward=forward, pullback=pullback))


def asks_other_dtypes(formula: Formula) -> bool:
    """True where a formula compares a dtype with one that kernels do not take.

    >>> from ...library import formula_in
    >>> asks_other_dtypes(formula_in('''
    ... def half(x):
    ...     return x * 0.25 if x.dtype == np.float16 else x * 0.5
    ... '''))
    True
    """
    found: dict[Var, Atom] = {}
    _find(formula.every(), found)
    return bool(found)


def _find(eqns: Iterable[Eqn], known: dict[Var, Atom]) -> None:
    for eqn in eqns:
        if eqn.op not in ("equal", "not_equal") or len(eqn.args) != 2:
            continue
        named = [atom.value for atom in eqn.args if isinstance(atom, Literal)]
        if len(named) == 1 and isinstance(named[0], str) and _is_other(named[0]):
            known[eqn.outs[0]] = Literal(eqn.op == "not_equal")


def _is_other(dtype: str) -> bool:
    return f"numpy.{dtype}" in DTYPES and dtype not in OF_DTYPES
