"""Effects: equations that are there for what they do, not for what they compute.

In: an equation. Out: whether it must stay where nobody reads its outputs. A
``raise`` has none; a conditional or a loop that holds one stays for it. A write
in place to what may be shared raises where it is. An unknown call may have any
effect.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir import Eqn, Literal


def raises(eqn: Eqn) -> bool:
    """True where the equation is a ``raise`` or a write that refuses shared memory, or holds one.

    >>> from ..ir import Block, Literal, Var
    >>> stop = Eqn((), "raise", (Literal("no"),), (("exception", Literal("ValueError")),))
    >>> raises(Eqn((), "if", (Var("wrong", "value"),), (), (Block((), (stop,), ()), Block((), (), ()))))
    True
    """
    if eqn.op == "in_place":
        return eqn.kwarg("shared") not in (None, Literal(None))
    return eqn.op == "raise" or any(raises(inner) for block in eqn.blocks for inner in block.eqns)


def acts(eqn: Eqn) -> bool:
    """True where the equation raises, or calls what the vocabulary doesn't know."""
    inside = (inner for block in eqn.blocks for inner in block.eqns)
    return eqn.op == "opaque" or raises(eqn) or any(map(acts, inside))


def repeatable(eqns: Iterable[Eqn]) -> bool:
    """True where running the equations again gives the same values."""
    return all(eqn.op != "opaque" and all(repeatable(block.eqns) for block in eqn.blocks) for eqn in eqns)
