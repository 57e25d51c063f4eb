"""The check that ``a, b = values`` finds as many values as names."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import Atom, Eqn, Var


def message(count: int) -> str:
    """The text of the error, with a place for the number of values."""
    return f"expected {count} values to unpack, got {{}}"


def count_of(eqn: Eqn, made: Mapping[Var, Eqn]) -> int | None:
    """The number of arrays in the list that an equation gives, where what they belong to is written out."""
    arrays: Atom | None = None
    if eqn.op == "contract_gradients":
        arrays = eqn.args[1]
    elif eqn.op in ("split_like", "unstack_like"):
        likes = eqn.kwarg("likes")
        asked = made.get(likes) if isinstance(likes, Var) else None
        arrays = asked.args[0] if asked is not None and asked.op == "like" else None
    listed = made.get(arrays) if isinstance(arrays, Var) else None
    return len(listed.args) if listed is not None and listed.op == "list" else None
