"""Entries of arrays at positions that are numbers, which kernels with loops read and write one by one."""

from __future__ import annotations

from ....ir import Atom, Eqn, Var
from ....ir.types import rank_of
from ....passes.kernel.types import stored
from ...expressions import Expression, run, shape
from ..plan import Plan
from ..scalars import Scalar


def add_entry(plan: Plan, eqn: Eqn, out: Var) -> bool:
    """Read or write the one entry that an index names; False where it names more, or is no number."""
    return eqn.op in _ENTRIES and bool(plan.types) and _ENTRIES[eqn.op](plan, eqn, out)


def _getitem(plan: Plan, eqn: Eqn, out: Var) -> bool:
    found = _positions(plan, eqn, eqn.args[0])
    if found is None or not plan.has_no_axes(out):
        return False
    positions, level = found
    array = plan.array(eqn.args[0])
    value = run("entry", array.node, *positions)
    plan.define_scalar(out, plan.names.of(out), value, array.type, max(level, array.level))
    return True


def _put(plan: Plan, eqn: Eqn, out: Var) -> bool:
    found, value = _positions(plan, eqn, eqn.args[0]), _value(plan, eqn.args[1])
    if found is None or value is None:
        return False
    positions, level = found
    whole = plan.array(eqn.args[0])
    level = max(whole.level, plan.of(eqn.args[1]).level, level)
    view = plan.target(out, whole.type, shape(whole.node), level, retained=True)
    plan.call(level, run("copy", whole.node, view))
    plan.call(level, run("set_entry", view, value.to(whole.type).node, *positions))
    plan.array_fact(out, view, whole.type, plan.own_shape("index_put", out.name), level + 1)
    return True


def _unslice(plan: Plan, eqn: Eqn, out: Var) -> bool:
    given = eqn.kwarg("shape")
    found, whole = _positions(plan, eqn, out), plan.values.shape(given)
    value = _value(plan, eqn.args[0])
    if found is None or whole is None or value is None:
        return False
    positions, level = found
    asked = [plan.of(atom).level for atom in (eqn.args[0], given) if isinstance(atom, Var)]
    level = max([level, *asked])
    kind = stored(value.type)
    view = plan.target(out, kind, whole, level, retained=True)
    plan.fill(level, view, kind)
    plan.call(level, run("set_entry", view, value.node, *positions))
    owner = plan.of(given).shape if isinstance(given, Var) else frozenset[object]()
    plan.array_fact(out, view, kind, owner or plan.own_shape("unslice", str(whole)), level + 1)
    return True


def _value(plan: Plan, atom: Atom) -> Scalar | None:
    found = plan.scalars([atom])
    return found[0] if found else None


def _positions(plan: Plan, eqn: Eqn, array: Atom) -> tuple[list[Expression], int] | None:
    """The positions of one entry, one for each axis of the array, and their level."""
    index = eqn.kwarg("index")
    axes = rank_of(plan.types[array]) if isinstance(array, Var) and array in plan.types else None
    items = plan.values.elements(index) if index is not None else ()
    if not axes or len(items) != axes:
        return None
    found: list[Expression] = []
    for item in items:
        position = plan.scalar(item)
        if position is None or stored(position.type) != "int64_t":
            return None
        found.append(position.to("weak int").node)
    return found, max(plan.of(item).level for item in items)


_ENTRIES = {"getitem": _getitem, "index_put": _put, "unslice": _unslice}
