"""Entries at positions that are data, as calls of the kernel's headers: indexing by arrays, and sorting."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Atom, Eqn, Var
from .facts import Fact
from .plan import Plan, literal_of


def picks(plan: Plan, eqn: Eqn) -> bool:
    """Whether an equation indexes by an array."""
    index = eqn.kwarg("index")
    if eqn.op not in ("getitem", "unslice") or index is None:
        return False
    return any(_is_array(plan, item) for item in plan.values.elements(index))


def _is_array(plan: Plan, item: Atom) -> bool:
    return isinstance(item, Var) and plan.of(item).kind in ("lane", "array")


def _positions(plan: Plan, items: Sequence[Atom]) -> tuple[str, int]:
    """Arrays of positions along the first axes, braced, and their level."""
    texts, level = [], 0
    for item in items:
        if not _is_array(plan, item):
            raise plan.refuse("an index with arrays and something else is not compiled")
        fact = plan.array(item)
        if fact.type != "int64_t":
            raise plan.refuse("an index by an array that is no int64 is not compiled")
        texts.append(f"{fact.text}.read_only()")
        level = max(level, fact.level)
    return "{" + ", ".join(texts) + "}", level


def add_pick(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Indexing by arrays along the first axes, and its adjoint."""
    index = eqn.kwarg("index")
    assert index is not None
    positions, level = _positions(plan, plan.values.elements(index))
    fact = plan.array(eqn.args[0])
    level = max(level, fact.level)
    if eqn.op == "getitem":
        shape, name = f"pb::picked(context, {fact.text}.shape, {positions})", "pick"
    else:
        given = eqn.kwarg("shape")
        text = plan.values.shape(given) if given is not None else None
        if text is None:
            raise plan.refuse("unslice to such a shape is not compiled")
        shape, name = text, "unpick"
    _give(plan, eqn, out, fact, shape, level, f"pb::{name}(context, {fact.text}, {positions}, ")


def _give(plan: Plan, eqn: Eqn, out: Var, fact: Fact, shape: str, level: int, call: str) -> None:
    view = plan.target(out, fact.type, shape, level)
    plan.call(level, f"{call}{view});")
    plan.array_fact(out, view, fact.type, frozenset({(eqn.op, out.name)}), level + 1)


def add_along(plan: Plan, eqn: Eqn, out: Var) -> None:
    """take_along_axis and put_along, by an array of positions."""
    indices, axis = eqn.kwarg("indices"), literal_of(eqn, "axis", -1)
    if indices is None or not _is_array(plan, indices) or not isinstance(axis, int):
        raise plan.refuse(f"{eqn.op} by such indices is not compiled")
    where = plan.array(indices)
    if where.type != "int64_t":
        raise plan.refuse("positions that are no int64 are not compiled")
    fact = plan.array(eqn.args[0])
    shape = f"pb::along_shape(context, {fact.text}.shape, {where.text}.shape, {axis})"
    if eqn.op == "put_along":
        given = eqn.kwarg("shape")
        shape = (plan.values.shape(given) if given is not None else None) or ""
        if not shape:
            raise plan.refuse("put_along to such a shape is not compiled")
    call = f"pb::{eqn.op}(context, {fact.text}, {where.text}.read_only(), {axis}, "
    _give(plan, eqn, out, fact, shape, max(fact.level, where.level), call)


def add_argsort(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The positions that sort."""
    fact = plan.array(eqn.args[0])
    axis = literal_of(eqn, "axis", -1)
    if not isinstance(axis, int):
        raise plan.refuse("argsort of all entries in one line is not compiled")
    view = plan.target(out, "int64_t", f"{fact.text}.shape", fact.level)
    plan.call(fact.level, f"pb::argsort(context, {fact.text}, {axis}, {view});")
    plan.array_fact(out, view, "int64_t", frozenset({("argsort", out.name)}), fact.level + 1)


PICKS = {"take_along_axis": add_along, "put_along": add_along, "argsort": add_argsort}
