"""Entries at positions that are data, as calls of the runtime: indexing by arrays, and sorting."""

from __future__ import annotations

from ....ir import Atom, Eqn, Var
from ....passes.kernel.types import stored
from ...expressions import NO_SHAPE, Expression, Infix, braces, node, rank, read_only, run, shape
from ..plan import Plan, literal_of
from .calls import give


def picks(plan: Plan, eqn: Eqn) -> bool:
    """True where an equation indexes by an array."""
    index = eqn.kwarg("index")
    if eqn.op not in ("getitem", "unslice", "index_put", "last_written") or index is None:
        return False
    return any(_is_array(plan, item) for item in plan.values.elements(index))


def _is_array(plan: Plan, item: Atom) -> bool:
    return isinstance(item, Var) and plan.of(item).kind in ("lane", "array", "scalar")


def _picked(plan: Plan, eqn: Eqn, whole: Expression, level: int) -> tuple[str, int]:
    """The places in an array of this shape that an index names, and their level."""
    index = eqn.kwarg("index")
    assert index is not None
    items: list[Expression] = []
    for item in plan.values.elements(index):
        if not _is_array(plan, item):
            basic = plan.values.index_item(item)
            if basic is None:
                raise plan.refuse("an index by such a value is not compiled")
            items.append(basic)
            level = max(level, plan.of(item).level if isinstance(item, Var) else 0)
            continue
        fact = plan.array(item)
        if fact.type not in ("int64_t", "bool"):
            raise plan.refuse("an index by an array that is no int64 and no mask is not compiled")
        if fact.type == "bool":
            some = Infix(">", rank(shape(fact.node)), node(0))
            plan.require(fact.level, some, "a mask of no axes, which adds one")
        items.append(read_only(fact.node))
        level = max(level, fact.level)
    name = plan.names.fresh(f"{plan.names.of(eqn.outs[0])}_places")
    plan.let(level, name, run("picked_at", whole, braces(*items)), "Picked", computes=True)
    return name, level


def add_pick(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Indexing by arrays, its adjoint, and writes at places that arrays name."""
    if eqn.op == "getitem":
        fact = plan.array(eqn.args[0])
        places, level = _picked(plan, eqn, shape(fact.node), fact.level)
        give(plan, eqn, out, fact.type, shape(places), level, "pick", fact.node, places)
    elif eqn.op == "index_put":
        fact = plan.array(eqn.args[0])
        value = plan.array_of(eqn.args[1], stored(fact.type))
        whole = shape(fact.node)
        places, level = _picked(plan, eqn, whole, max(fact.level, value.level))
        give(plan, eqn, out, fact.type, whole, level, "put", fact.node, value.node, places)
    else:
        given = eqn.kwarg("shape")
        target = plan.values.shape(given)
        if target is None:
            raise plan.refuse(f"{eqn.op} in such a shape is not compiled")
        level = plan.of(given).level if isinstance(given, Var) else 0
        if eqn.op == "unslice":
            fact = plan.array(eqn.args[0])
            places, level = _picked(plan, eqn, target, max(level, fact.level))
            give(plan, eqn, out, fact.type, target, level, "unpick", fact.node, places)
        else:
            places, level = _picked(plan, eqn, target, level)
            give(plan, eqn, out, "bool", shape(places), level, "last_written", places)


def add_along(plan: Plan, eqn: Eqn, out: Var) -> None:
    """take_along_axis and put_along, by an array of positions."""
    indices, axis = eqn.kwarg("indices"), literal_of(eqn, "axis", -1)
    if indices is None or not _is_array(plan, indices) or not isinstance(axis, int):
        raise plan.refuse(f"{eqn.op} by such indices is not compiled")
    where = plan.array(indices)
    if where.type != "int64_t":
        raise plan.refuse("positions that are no int64 are not compiled")
    fact = plan.array(eqn.args[0])
    target: Expression | None = run("along_shape", shape(fact.node), shape(where.node), axis)
    if eqn.op == "put_along":
        target = plan.values.shape(eqn.kwarg("shape"))
    if target is None:
        raise plan.refuse("put_along to such a shape is not compiled")
    level = max(fact.level, where.level)
    give(plan, eqn, out, fact.type, target, level, eqn.op, fact.node, read_only(where.node), axis)


def add_region(plan: Plan, eqn: Eqn, out: Var) -> None:
    """take_region, spread_region and clear_region, by the places of a region's entries."""
    given = eqn.kwarg("region")
    items = plan.values.elements(given) if given is not None else []
    if len(items) != 3:
        raise plan.refuse(f"{eqn.op} of a region that is not known is not compiled")
    base, places, unwritten = items
    fact, where = plan.array(eqn.args[0]), plan.array(places)
    arguments = [fact.node, read_only(where.node)]
    level = max(fact.level, where.level)
    if _is_array(plan, unwritten):
        mask = plan.array(unwritten)
        arguments.append(read_only(mask.node))
        level = max(level, mask.level)
    target = shape(where.node) if eqn.op == "take_region" else plan.values.shape(base)
    if target is None:
        raise plan.refuse(f"{eqn.op} in such a shape is not compiled")
    give(plan, eqn, out, fact.type, target, level, eqn.op, *arguments)


def add_argsort(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The positions that sort."""
    _places_along(plan, eqn, out, -1)


def add_running_places(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The positions of running extremes."""
    _places_along(plan, eqn, out, 0)


def _places_along(plan: Plan, eqn: Eqn, out: Var, usual: int) -> None:
    fact = plan.array(eqn.args[0])
    axis = literal_of(eqn, "axis", usual)
    if not isinstance(axis, int):
        raise plan.refuse(f"{eqn.op} along an axis that is not known when it is compiled")
    give(plan, eqn, out, "int64_t", shape(fact.node), fact.level, eqn.op, fact.node, axis)


def add_searchsorted(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The places in a sorted vector before which, or behind which, values stand."""
    side, sorter = literal_of(eqn, "side", "left"), eqn.kwarg("sorter")
    if side not in ("left", "right") or (sorter is not None and literal_of(eqn, "sorter", 0) is not None):
        raise plan.refuse("searchsorted with a `sorter`, or by a side that is not known, is not compiled")
    within, value = plan.array(eqn.args[0]), plan.of(eqn.args[1])
    number = plan.values.scalar(eqn.args[1]) if value.kind == "number" else None
    whole: Expression
    given: Expression
    if number is None:
        value = plan.array(eqn.args[1])
        whole, given = shape(value.node), value.node
    else:
        kind = stored(number.type)
        whole, given = NO_SHAPE, run("constant", number.to(kind).node, of=kind)
    level, behind = max(within.level, value.level), side == "right"
    give(plan, eqn, out, "int64_t", whole, level, "searchsorted", within.node, given, behind)


PICKS = {
    "searchsorted": add_searchsorted,
    "last_written": add_pick,
    "take_along_axis": add_along,
    "put_along": add_along,
    "take_region": add_region,
    "spread_region": add_region,
    "clear_region": add_region,
    "argsort": add_argsort,
    "argcummax": add_running_places,
    "argcummin": add_running_places,
}
