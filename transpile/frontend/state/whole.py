"""Whole numbers: values that are known to be integers while a formula is read."""

from __future__ import annotations

from ...ir import Atom, Literal, Var
from .builder import Builder

_ALWAYS = frozenset({"size", "ndim", "len", "int", "math.floor", "math.ceil"})
_OF_WHOLE = frozenset({"add", "subtract", "multiply", "floor_divide", "remainder", "negative", "abs"})
_TUPLES_OF_WHOLE = frozenset({"shape", "range"})


def is_whole(build: Builder, atom: Atom) -> bool:
    """True of an integer: a size, a place in a range, what is computed of such."""
    if isinstance(atom, Literal):
        return isinstance(atom.value, int)
    if atom in build.whole:
        return True
    eqn = build.made.get(atom)
    if eqn is None or atom.kind != "value":
        return False
    if eqn.op == "if":
        place = eqn.outs.index(atom)
        return all(is_whole(build, block.results[place]) for block in eqn.blocks)
    if eqn.op == "item":
        owner, index = (build.made.get(each) if isinstance(each, Var) else None for each in eqn.args)
        part = index is not None and index.op == "slice"
        return owner is not None and owner.op in _TUPLES_OF_WHOLE and not part
    return eqn.op in _ALWAYS or (eqn.op in _OF_WHOLE and all(is_whole(build, each) for each in eqn.args))
