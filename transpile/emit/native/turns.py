"""Lists that a loop collected: their elements, arrays joined of them, and lists made from lists."""

from __future__ import annotations

from ...ir import Atom, Eqn, Var
from .facts import Fact, Kind, Leaf
from .plan import Plan, literal_of
from .types import stored


def is_collected(plan: Plan, eqn: Eqn) -> bool:
    """Whether an equation reads a list that a loop collected, or an element of a list by a variable."""
    if eqn.op not in _OPERATORS:
        return False
    atoms = [*eqn.args, *(atom for name, atom in eqn.kwargs if name == "likes")]
    facts = [plan.of(atom) for atom in atoms if isinstance(atom, Var)]
    if any(fact.kind == "turns" for fact in facts):
        return True
    return eqn.op == "item" and isinstance(eqn.args[1], Var) and facts[0].kind == "list"


def add_collected_list(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An operator on such lists."""
    _OPERATORS[eqn.op](plan, eqn, out)


def listed(plan: Plan, atom: Atom) -> Fact:
    """A list as one of C++, also one that is written out."""
    fact = plan.of(atom)
    if fact.kind == "turns":
        return fact
    facts = [plan.of(item) for item in fact.items]
    if not facts or any(item.kind not in ("array", "lane") or item.type != facts[0].type for item in facts):
        raise plan.refuse("a list of such elements is not compiled in a loop")
    arrays = [plan.array(item) for item in fact.items]
    level = max(array.level for array in arrays)
    name = plan.names.fresh(f"{atom}_list")
    kind = stored(arrays[0].type)
    plan.declare(level, f"const pb::List<pb::View<const {kind}>> {name}({len(arrays)});")
    for k, array in enumerate(arrays):
        plan.call(level, f"{name}[{k}] = {array.text}.read_only();")
    made = Fact("turns", arrays[0].type, level=level + 1, text=name, element="array")
    if isinstance(atom, Var):
        plan.define(atom, made)
    return made


def _item(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner, position = listed(plan, eqn.args[0]), plan.values.number(eqn.args[1])
    if position is None:
        raise plan.refuse("an element of such a list is not compiled")
    level = max(owner.level, plan.of(eqn.args[1]).level)
    inside = isinstance(eqn.args[1], Var) and position.isidentifier()
    text = f"{owner.text}[{position}]" if inside else f"{owner.text}.at(context, {position})"
    name = plan.names.of(out)
    if owner.element == "none":
        plan.define(out, Fact("none", "none"))
    elif owner.element == "array":
        view = plan.names.fresh(f"{name}_view")
        plan.declare(level, f"const auto {view} = {text};")
        plan.array_fact(out, view, owner.type, frozenset({("item", view)}), level)
    elif owner.element == "number":
        plan.declare(level, f"const {stored(owner.type)} {name} = {text};")
        plan.define(out, Fact("number", owner.type, level=level, text=name))
    else:
        plan.declare(level, f"const pb::Shape {name} = {text};")
        token = frozenset[object]({("item", name)})
        kind: Kind = "like" if owner.element == "like" else "shape"
        plan.define(out, Fact(kind, owner.type, token, (Leaf(name, token, level),), level, name))


def _len(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = plan.of(eqn.args[0])
    plan.define(out, Fact("number", "weak int", level=owner.level, text=f"{owner.text}.size"))


def _like(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = plan.of(eqn.args[0])
    if owner.element != "array":
        plan.define(out, owner)
        return
    name = plan.names.of(out)
    plan.declare(owner.level, f"const pb::List<pb::Shape> {name}({owner.text}.size);")
    plan.call(owner.level, f"pb::shapes_of({owner.text}, {name});")
    plan.define(out, Fact("turns", owner.type, level=owner.level + 1, text=name, element="like"))


def _joined(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = listed(plan, eqn.args[0])
    axis = literal_of(eqn, "axis", 0)
    if owner.element != "array" or not isinstance(axis, int):
        raise plan.refuse(f"{eqn.op} of such a list is not compiled")
    if eqn.op == "concatenate":
        shape, call = f"pb::concatenated(context, {owner.text}, {axis})", "concatenate"
    else:
        each = f"pb::broadcast_of(context, {owner.text})"
        shape, call = f"pb::stacked(context, {each}, {owner.text}.size, {axis})", "stack"
    kind = stored(owner.type)
    view = plan.target(out, kind, shape, owner.level)
    plan.call(owner.level, f"pb::{call}(context, {owner.text}, {axis}, {view});")
    plan.array_fact(out, view, kind, frozenset({(eqn.op, out.name)}), owner.level + 1)


def _parted(plan: Plan, eqn: Eqn, out: Var) -> None:
    likes, axis = eqn.kwarg("likes"), literal_of(eqn, "axis", 0)
    shapes = plan.of(likes) if likes is not None else Fact("none")
    if shapes.element != "like" or not isinstance(axis, int):
        raise plan.refuse(f"{eqn.op} of such a list is not compiled")
    whole = plan.array_of(eqn.args[0], stored(shapes.type))
    level = max(whole.level, shapes.level)
    name = plan.names.of(out)
    kind = stored(shapes.type)
    plan.declare(level, f"const pb::List<pb::View<const {kind}>> {name}({shapes.text}.size);")
    call = "split" if eqn.op == "split_like" else "unstack"
    plan.call(level, f"pb::{call}(context, {whole.text}.read_only(), {shapes.text}, {axis}, {name});")
    plan.define(out, Fact("turns", shapes.type, level=level + 1, text=name, element="array"))


def _accumulate(plan: Plan, eqn: Eqn, out: Var) -> None:
    a, b = (listed(plan, atom) for atom in eqn.args)
    if a.type != b.type or a.element != "array":
        raise plan.refuse("a sum of such lists is not compiled")
    level = max(a.level, b.level)
    name = plan.names.of(out)
    plan.declare(level, f"const pb::List<pb::View<const {stored(a.type)}>> {name}({a.text}.size);")
    plan.call(level, f"pb::add_lists(context, {a.text}, {b.text}, {name});")
    plan.define(out, Fact("turns", a.type, level=level + 1, text=name, element="array"))


_OPERATORS = {
    "item": _item,
    "len": _len,
    "like": _like,
    "stack": _joined,
    "collect": _joined,
    "concatenate": _joined,
    "split_like": _parted,
    "unstack_like": _parted,
    "accumulate": _accumulate,
}
