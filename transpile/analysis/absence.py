"""Values that a branch may leave out."""

from __future__ import annotations

from ..ir import Atom, Block, Literal
from ..rewrite import defining


def may_be_absent(block: Block, atom: Atom) -> bool:
    """True for None, and for what is None where a branch that makes it is not taken.

    >>> from ..library import formula_in
    >>> formula = formula_in('''
    ... def scaled(x, *, wide: bool):
    ...     factor = None
    ...     if wide:
    ...         factor = x * x
    ...     return x if factor is None else x * factor
    ... ''')
    >>> [may_be_absent(formula.forward, eqn.outs[0]) for eqn in formula.forward.eqns if eqn.op == "if"]
    [True, False]
    """
    if atom == Literal(None):
        return True
    made = defining(block.eqns).get(atom) if not isinstance(atom, Literal) else None
    if made is None or made.op != "if":
        return False
    place = made.outs.index(atom)
    return any(may_be_absent(part, part.results[place]) for part in made.blocks)
