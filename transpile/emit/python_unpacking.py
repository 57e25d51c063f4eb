"""``a, b = value`` again, where equations check its length and take its elements.

In: a block. Out: the same with an equation ``a, b = unpack(value)`` in their place; an element
that nobody reads is called ``_``. The gradients of a contraction, and parts of which the text shows
how many there are, are outputs of the equation's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ..analysis.unpacking import count_of, message
from ..ir import Atom, Block, Eqn, Literal, Var
from ..rewrite import defining, rename, uses


class _Unpacked(NamedTuple):
    """A value of so many elements, and what asks how many they are: how often the check reads each."""

    value: Var
    number: int
    questions: Mapping[Var, int]


def with_unpacking(block: Block) -> Block:
    """The block, nested blocks included, with its unpackings as an author writes them."""
    eqns = [replace(eqn, blocks=tuple(map(with_unpacking, eqn.blocks))) for eqn in block.eqns]
    table, counts = defining(eqns), uses(block)
    made: list[Eqn] = []
    gone: set[Var] = set()
    nested: dict[Var, Atom] = {}
    for eqn in eqns:
        made.append(eqn)
        found = _check(eqn, table) or _gradients(eqn, table)
        if found is None or any(counts[var] > most for var, most in found.questions.items()):
            continue
        value, number = found.value, found.number
        taken = {_place(e, value): e.outs[0] for e in eqns if _place(e, value) is not None}
        if not taken or number == 1 or (eqn.outs and counts[value] > len(taken)):
            continue
        names = tuple(taken.get(place, Var("_", "value")) for place in range(number))
        made[-1] = replace(eqn, outs=names) if eqn.outs else Eqn(names, "unpack", (value,), (), (), eqn.span)
        gone.update(found.questions, names)
        if counts[value] == len(taken) + sum(value in table[var].args for var in found.questions):
            nested[value] = Var(value.name, value.kind, True)
    kept = tuple(eqn for eqn in made if eqn.outs[1:] or not gone.intersection(eqn.outs))
    return rename(Block(block.params, kept, block.results), nested)


def _check(eqn: Eqn, table: Mapping[Var, Eqn]) -> _Unpacked | None:
    """The length that the equation checks; None where unpacking did not add it."""
    test = table.get(eqn.args[0]) if eqn.op == "if" and isinstance(eqn.args[0], Var) else None
    if test is None or test.op != "not_equal" or eqn.outs or len(eqn.blocks[0].eqns) != 2:
        return None
    length, count = test.args
    text, made = eqn.blocks[0].eqns[0], table.get(length) if isinstance(length, Var) else None
    if made is None or not isinstance(count, Literal) or not isinstance(count.value, int):
        return None
    if text.args != (Literal(message(count.value)), length):
        return None
    questions = {made.outs[0]: 2, test.outs[0]: 1}
    value = made.args[0]
    if made.op == "item" and isinstance(value, Var):
        questions[value] = 1
        value = table[value].args[0]
    return _Unpacked(value, count.value, questions) if isinstance(value, Var) else None


def _gradients(eqn: Eqn, table: Mapping[Var, Eqn]) -> _Unpacked | None:
    """The gradients of a contraction, or of what is joined, one for each array that is written out."""
    count = count_of(eqn, table)
    return None if count is None else _Unpacked(eqn.outs[0], count, {})


def _place(eqn: Eqn, value: Var) -> int | None:
    """The place of the element that the equation takes of the value."""
    taken = eqn.op in ("item", "getitem") and eqn.args[0] == value
    place = (eqn.args[1] if eqn.op == "item" else eqn.kwarg("index")) if taken else None
    return place.value if isinstance(place, Literal) and type(place.value) is int else None
