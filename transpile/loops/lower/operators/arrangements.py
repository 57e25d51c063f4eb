"""Arrays into a plan: views, joined and split arrays."""

from __future__ import annotations

from collections.abc import Sequence

from ....ir import Atom, Eqn, Literal, Var
from ....passes.kernel.types import join, stored
from ...expressions import Name, call, rank, run, shape
from .. import shape_sets
from ..facts import Fact
from ..kernel import ShapeSet
from ..names import derived
from ..plan import Plan, literal_of
from .pointwise import add_of_shape, cast_type
from .views import view_call


def add_view(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An operator that only moves strides about; a number is broadcast as an array is filled."""
    if eqn.op == "broadcast_to" and plan.of(eqn.args[0]).kind == "number":
        filled = (*eqn.kwargs, ("fill_value", eqn.args[0]))
        add_of_shape(plan, Eqn(eqn.outs, "full", (), filled, (), eqn.span), out)
        return
    fact = plan.array(eqn.args[0])
    made = view_call(eqn.op, fact.node, dict(eqn.kwargs), plan.values)
    if made is None:
        raise plan.refuse(f"{eqn.op} with such arguments is not compiled")
    level = max([fact.level, *(plan.of(atom).level for _, atom in eqn.kwargs)])
    view = plan.names.fresh(f"{plan.names.of(out)}_view")
    plan.let(level, view, made, computes=True)
    known = tuple((key, plan.own_name(atom)) for key, atom in eqn.kwargs)
    argument = literal_of(eqn, "axis") if eqn.op == "expand_dims" else known
    plan.array_fact(out, Name(view), fact.type, shape_sets.view(eqn.op, fact.shape, argument), level)


def add_moved(plan: Plan, eqn: Eqn, out: Var) -> None:
    """flip and moveaxis: views whose axes are known."""
    fact = plan.array(eqn.args[0])
    if eqn.op == "flip":
        axes = plan.values.axes(eqn.kwarg("axis"))
        every = literal_of(eqn, "axis") is None
        count = rank(shape(fact.node))
        made = call("all_axes", count) if axes is None else run("axis_set", axes, count)
        made = call("flip", fact.node, made)
    else:
        axes = plan.values.axes(eqn.kwarg("source"))
        target = plan.values.axes(eqn.kwarg("destination"))
        every = False
        axes = axes if target else None
        made = run("moveaxis", fact.node, *(part for part in (axes, target) if part is not None))
    if axes is None and not every:
        raise plan.refuse(f"{eqn.op} over axes that are not known when it is compiled")
    view = plan.names.fresh(f"{plan.names.of(out)}_view")
    plan.let(fact.level, view, made, computes=True)
    arguments = tuple((key, plan.own_name(atom)) for key, atom in eqn.kwargs)
    plan.array_fact(out, Name(view), fact.type, shape_sets.view(eqn.op, fact.shape, arguments), fact.level)


def add_unslice(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Zeros with an array put in at an index."""
    fact = plan.of(eqn.args[0])
    given = eqn.kwarg("shape")
    items, whole = plan.values.index(eqn.kwarg("index")), plan.values.shape(given)
    if items is None or whole is None or fact.kind == "number":
        raise plan.refuse("unslice by such an index is not compiled")
    asked = [atom for atom in (eqn.kwarg("index"), given) if isinstance(atom, Var)]
    known = max((plan.of(atom).level for atom in asked), default=0)
    array = plan.array_of(eqn.args[0], stored(fact.type)) if known > fact.level else None
    level = fact.level if array is None else max(known, array.level)
    view = plan.target(out, fact.type, whole, level, retained=True)
    plan.fill(level, view, stored(fact.type))
    part = plan.names.fresh(f"{plan.names.of(out)}_part")
    plan.let(level, part, run("take", view, items))
    if array is None:
        plan.store(eqn.args[0], fact, Name(part))
    else:
        plan.call(level, run("copy", array.node, Name(part)))
    owner = plan.of(given).shape if isinstance(given, Var) else frozenset[object]()
    plan.array_fact(out, view, fact.type, owner or plan.own_shape("unslice", str(whole)), level + 1)


def add_put(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A copy of an array in which another one stands at a basic index."""
    index = eqn.kwarg("index")
    items = plan.values.index(index)
    if items is None:
        raise plan.refuse("a write at such an index is not compiled")
    whole = plan.array(eqn.args[0])
    value = plan.array_of(eqn.args[1], stored(whole.type))
    level = max(whole.level, value.level, plan.of(index).level if index is not None else 0)
    view = plan.target(out, whole.type, shape(whole.node), level, retained=True)
    part = plan.names.fresh(f"{plan.names.of(out)}_part")
    plan.let(level, part, run("take", view, items))
    plan.call(level, run("copy", whole.node, view))
    plan.call(level, run("copy", value.node, part))
    plan.array_fact(out, view, whole.type, plan.own_shape("index_put", out.name), level + 1)


def add_array(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An array of numbers that are written out, entry by entry."""
    held = eqn.kwarg("object")
    entries = None if held is None else _entries(plan, held)
    scalars = None if entries is None else [plan.values.scalar(atom) for atom in entries.values()]
    if entries is None or scalars is None or None in scalars:
        raise plan.refuse("an array of such values is not compiled")
    own = join([stored(plan.of(atom).type) for atom in entries.values()]) if entries else "double"
    kind = own if literal_of(eqn, "dtype") is None else cast_type(plan, eqn)
    level = max((plan.of(atom).level for atom in entries.values()), default=0)
    lengths = [1 + last for last in max(entries)] if entries else [0]
    view = plan.target(out, kind, call("shape_of", *lengths), level, retained=True)
    for place, scalar in zip(entries, scalars, strict=True):
        if scalar is not None:
            plan.call(level, run("set_entry", view, scalar.to(kind).node, *place))
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level + 1)


def _entries(plan: Plan, held: Atom) -> dict[tuple[int, ...], Atom] | None:
    """The numbers of tuples of one length at each depth, by their places; None for anything else."""
    if isinstance(held, Literal):
        items: Sequence[Atom] | None = (
            list(map(Literal, held.value)) if isinstance(held.value, tuple) else None
        )
    else:
        fact = plan.of(held)
        made = fact.eqn.args if fact.kind == "index" and fact.eqn is not None else fact.items
        items = made if fact.kind in ("index", "list") else None
    if items is None:
        return {(): held} if plan.of(held).kind in ("number", "scalar") else None
    parts = [_entries(plan, item) for item in items]
    if any(part is None or part.keys() != (parts[0] or {}).keys() for part in parts):
        return None
    return {(k, *place): atom for k, part in enumerate(parts) for place, atom in (part or {}).items()}


def add_joined(plan: Plan, eqn: Eqn, out: Var) -> None:
    """concatenate and stack: each part is stored where it goes; a number is one of NumPy's."""
    atoms = _list(plan, eqn)
    parts = [plan.of(atom) for atom in atoms]
    axis = literal_of(eqn, "axis", 0)
    kind = join(stored(part.type) if part.kind == "number" else part.type for part in parts)
    allowed = ("lane", "array", "scalar", "number")
    if not isinstance(axis, int) or any(part.kind not in allowed for part in parts):
        raise plan.refuse(f"{eqn.op} of such arrays is not compiled")
    if eqn.op in ("stack", "stacked") and axis in (0, -1) and _in_a_row(plan, out, atoms, kind):
        return
    both = zip(atoms, parts, strict=True)
    stored_as = [
        (atom, part)
        if isinstance(atom, Var) and part.kind in ("lane", "array") and part.type == kind
        else plan.cast(atom, kind)
        for atom, part in both
    ]
    parts = [part for _, part in stored_as]
    level = max(part.level for part in parts)
    name = plan.names.of(out)
    shapes = plan.names.fresh(f"{name}_parts")
    plan.parts_list(level, shapes, [plan.shape_text(part.leaves) for part in parts])
    stacked = eqn.op in ("stack", "stacked")
    view = plan.target(out, kind, run("joined", shapes, axis, stacked), level, retained=True)
    for index, (atom, part) in enumerate(stored_as):
        target = run("joined_part", view, shapes, index, axis, stacked)
        moved = Fact(part.kind, part.type, part.shape, part.leaves, level, part.known, part.eqn)
        plan.store(atom, moved, target)
    token: ShapeSet = frozenset({(eqn.op, axis, tuple(part.shape for part in parts))})
    plan.array_fact(out, view, kind, token, level + 1)


def _in_a_row(plan: Plan, out: Var, atoms: Sequence[Atom], kind: str) -> bool:
    """Write values without axes one by one into an array of one axis; False where one is an array."""
    scalars = plan.scalars(atoms) if plan.types else None
    if not scalars:
        return False
    level = max((plan.of(atom).level for atom in atoms if isinstance(atom, Var)), default=0)
    view = plan.target(out, kind, call("shape_of", len(scalars)), level, retained=True)
    for place, scalar in enumerate(scalars):
        plan.call(level, run("set_entry", view, scalar.to(kind).node, place))
    plan.array_fact(out, view, kind, plan.own_shape("stack", out.name), level + 1)
    return True


def add_collected(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Arrays broadcast to one shape, along a new first axis."""
    items = _list(plan, eqn)
    facts = [plan.of(atom) for atom in items]
    leaves = tuple(leaf for fact in facts for leaf in fact.leaves)
    kind, known = join(fact.type for fact in facts), shape_sets.join(fact.shape for fact in facts)
    level = max(fact.level for fact in facts)
    name = plan.names.of(out)
    shapes = plan.names.fresh(f"{name}_parts")
    plan.parts_list(level, shapes, [plan.shape_text(leaves)] * len(items))
    view = plan.target(out, kind, run("joined", shapes, 0, True), level, retained=True)
    for index, atom in enumerate(items):
        part = derived(f"{out.name}_at_{index}")
        same = Eqn((part,), "positive", (atom,), (), (), eqn.span)
        fact = Fact("lane", stored(kind), known, leaves, level, eqn=same)
        plan.define(part, fact)
        plan.store(part, fact, run("joined_part", view, shapes, index, 0, True))
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level + 1)


def add_split(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The stretches of an array that belong to the parts it was joined of, as a list of views."""
    likes, axis = eqn.kwarg("likes"), literal_of(eqn, "axis", 0)
    known = plan.of(likes).items if isinstance(likes, Var) else ()
    facts = [plan.of(atom) for atom in known]
    if not known or not isinstance(axis, int) or any(fact.kind != "like" for fact in facts):
        raise plan.refuse(f"{eqn.op} of a list that is not written out is not compiled")
    whole = plan.array(eqn.args[0])
    shapes = plan.names.fresh(f"{plan.names.of(out)}_parts")
    plan.parts_list(whole.level, shapes, [fact.node for fact in facts])
    stacked = eqn.op == "unstack_like"
    parts = []
    for index, fact in enumerate(facts):
        part = derived(f"{out.name}_at_{index}")
        view = plan.names.fresh(f"{plan.names.of(part)}_view")
        made = run("joined_part", whole.node, shapes, index, axis, stacked)
        plan.let(whole.level, view, made, computes=True)
        plan.array_fact(part, Name(view), whole.type, fact.shape, whole.level)
        parts.append(part)
    plan.define(out, Fact("list", items=tuple(parts)))


def add_item(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An element of a list of arrays."""
    owner, position = plan.of(eqn.args[0]), eqn.args[1]
    index = position.value if isinstance(position, Literal) else None
    if not isinstance(index, int) or not -len(owner.items) <= index < len(owner.items):
        raise plan.refuse("an element of such a list is not compiled")
    plan.define(out, plan.of(owner.items[index]))


def _list(plan: Plan, eqn: Eqn) -> tuple[Atom, ...]:
    owner = eqn.args[0]
    fact = plan.of(owner)
    if fact.kind not in ("list", "index") or not fact.items:
        raise plan.refuse(f"{eqn.op} of a list that is not written out is not compiled")
    return fact.items


def add_list(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A list that is written out."""
    plan.define(out, Fact("list", items=eqn.args))
