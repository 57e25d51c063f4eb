"""Literals that one side of a branch has, and the other does not.

What a formula saves of a branch is None where that is not taken. Where it is a literal
otherwise, and is only read where the branch is taken, it need not be saved. A None
that an author chose is read elsewhere too, and stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ir import Atom, Block, Eqn, Literal, Var

_NONE = Literal(None)


@dataclass(frozen=True, slots=True)
class OneSided:
    """A literal, and the sides of conditions on which a variable is it: each a condition and a position."""

    value: Literal
    sides: tuple[tuple[Atom, int], ...]

    def is_all(self, var: Var, block: Block, saved: Mapping[Var, Atom]) -> bool:
        """True where a block reads the variable on these sides alone.

        `saved` are the forward's names of what the block reads.
        """
        return _only_read_on(frozenset(self.sides), var, block, saved)


def literals_of_one_side(block: Block) -> dict[Var, OneSided]:
    """The variables of a block that are a literal on one side of its branches, and None on all others."""
    found: dict[Var, OneSided] = {}
    for eqn in block.eqns:
        if eqn.op != "if":
            continue
        inner = [literals_of_one_side(side) for side in eqn.blocks]
        for k, out in enumerate(eqn.outs):
            there = [side for side, inside in enumerate(eqn.blocks) if inside.results[k] != _NONE]
            if len(there) == 1 and (known := _on_side(eqn, there[0], k, inner[there[0]])) is not None:
                found[out] = known
    return found


def _on_side(eqn: Eqn, side: int, k: int, inner: Mapping[Var, OneSided]) -> OneSided | None:
    """The value of an output of a branch that only this side has."""
    block = eqn.blocks[side]
    atom, own = block.results[k], (eqn.args[0], side)
    if isinstance(atom, Literal):
        return OneSided(atom, (own,))
    if atom not in inner:
        return None
    outside = dict(zip(block.results, eqn.outs, strict=True))
    sides = [(outside.get(test), position) for test, position in inner[atom].sides]
    if any(test is None for test, _ in sides):
        return None
    return OneSided(inner[atom].value, (own, *((test, position) for test, position in sides if test)))


def _only_read_on(
    sides: frozenset[tuple[Atom, int]], var: Var, block: Block, saved: Mapping[Var, Atom]
) -> bool:
    if sides and (var in block.results or any(var in eqn.reads() for eqn in block.eqns)):
        return False
    for eqn in block.eqns:
        test = eqn.args[0] if eqn.op == "if" else None
        of_forward = saved.get(test, test) if isinstance(test, Var) else test
        for position, inside in enumerate(eqn.blocks):
            left = sides - {(of_forward, position)} if of_forward is not None else sides
            if not _only_read_on(left, var, inside, saved):
                return False
    return True
