"""The cone of a lane: the equations between it and arrays, which a stage computes.

A lane is computed again by each stage that reads it. One that a later stage reads, and that is made by
many equations, is stored instead, so that what is computed again stays in proportion to the text.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir import Atom, Var
from .facts import Fact
from .scalars import POINTWISE

# What costs more than to load it from an array.
_CHEAP = """
    add accumulate subtract multiply less less_equal greater greater_equal equal not_equal logical_and
    logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor invert positive negative
    stop_gradient square maximum minimum abs sign where clip relu astype
"""
_COSTLY = POINTWISE - frozenset(_CHEAP.split())
# So many equations a later stage runs again, at most, to have a value.
_MOST = 16


class Cones:
    """The equations that each lane of a plan is made by, found for operands before what reads them."""

    def __init__(self, of: Callable[[Atom], Fact], at_level: Callable[[Var, int], Fact]) -> None:
        self._of = of
        self._at_level = at_level
        self._costly: dict[Atom, bool] = {}
        self._cones: dict[Atom, frozenset[Atom] | None] = {}

    def add(self, atom: Atom) -> None:
        """Find what a new lane is made by, before anything reads it."""
        self.is_costly(atom)
        self.is_large(atom)

    def is_costly(self, atom: Atom) -> bool:
        """True where a lane calls a costly function."""
        fact = self._of(atom) if isinstance(atom, Var) else None
        if fact is None or fact.kind != "lane" or fact.eqn is None:
            return False
        if atom not in self._costly:
            self._costly[atom] = fact.eqn.op in _COSTLY or any(map(self.is_costly, fact.eqn.args))
        return self._costly[atom]

    def is_large(self, atom: Atom) -> bool:
        """True where a lane is made by more equations than are run again."""
        return self._cone(atom) is None

    def _cone(self, atom: Atom) -> frozenset[Atom] | None:
        """The lanes that a lane is made of, itself included; None where they are too many."""
        fact = self._of(atom) if isinstance(atom, Var) else None
        if fact is None or fact.kind != "lane" or fact.eqn is None:
            return frozenset()
        if atom not in self._cones:
            self._cones[atom] = self._found(atom, fact.level, fact.eqn.args)
        return self._cones[atom]

    def _found(self, atom: Atom, level: int, operands: tuple[Atom, ...]) -> frozenset[Atom] | None:
        found = {atom}
        for operand in operands:
            if isinstance(operand, Var) and self._at_level(operand, level).kind == "lane":
                cone = self._cone(operand)
                if cone is None:
                    return None
                found |= cone
        return frozenset(found) if len(found) <= _MOST else None
