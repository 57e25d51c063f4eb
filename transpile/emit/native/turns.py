"""Lists of C++: what a loop collected, what is carried as a list, and what is made of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...ir import Atom, Eqn, Var
from .facts import Fact, Kind, Leaf
from .names import derived
from .plan import Plan, literal_of
from .reductions import like_of
from .types import join, stored


def is_collected(plan: Plan, eqn: Eqn) -> bool:
    """Whether an equation reads a list of C++, or an element of a list by a variable."""
    if eqn.op not in _OPERATORS:
        return False
    atoms = [*eqn.args, *(atom for name, atom in eqn.kwargs if name == "likes")]
    facts = [plan.of(atom) for atom in atoms if isinstance(atom, Var)]
    if any(fact.kind == "turns" for fact in facts):
        return True
    if eqn.op == "item":
        return isinstance(eqn.args[1], Var) and (facts[0].kind == "list" or _is_list_of_likes(facts[0]))
    if eqn.op == "accumulate":
        return eqn.outs[0].kind == "list"
    return eqn.op in ("unitem", "zeros_list", "collect_flat", "appended", "without_last")


def _is_list_of_likes(fact: Fact) -> bool:
    return fact.kind == "index" and fact.eqn is not None and fact.eqn.op in ("list", "like")


def add_collected_list(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An operator on such lists."""
    _OPERATORS[eqn.op](plan, eqn, out)


def type_of(fact: Fact) -> str:
    """A list's type in C++.

    >>> type_of(Fact("turns", "T", element="array", depth=2))
    'pb::List<pb::List<pb::View<const T>>>'
    """
    elements = {"array": f"pb::View<const {stored(fact.type)}>", "number": stored(fact.type)}
    text = (elements | {"index": "pb::Index"}).get(fact.element, "pb::Shape")
    return "pb::List<" * fact.depth + text + ">" * fact.depth


def listed(plan: Plan, atom: Atom) -> Fact:
    """A list as one of C++, also one that is written out."""
    fact = plan.of(atom)
    if fact.kind == "turns":
        return fact
    items = fact.eqn.args if fact.kind == "index" and fact.eqn is not None else fact.items
    facts = [plan.of(item) for item in items]
    if facts and all(item.kind == "number" for item in facts):
        return _numbers(plan, atom, items)
    kinds = {"array" if item.kind == "lane" else item.kind for item in facts}
    types = {item.type for item in facts if item.kind != "shape"}
    if len(kinds) != 1 or len(types) > 1 or not kinds <= {"array", "like", "shape"}:
        raise plan.refuse("a list of such elements is not compiled in a loop")
    (element,) = kinds
    arrays = [plan.array(item) for item in items] if element == "array" else facts
    texts = [f"{array.text}.read_only()" if element == "array" else array.text for array in arrays]
    level = max(array.level for array in arrays)
    name = plan.names.fresh(f"{atom}_list")
    made = Fact("turns", arrays[0].type, level=level + 1, text=name, element=element)
    plan.declare(level, f"const {type_of(made)} {name}({len(arrays)});")
    for k, text in enumerate(texts):
        plan.call(level, f"{name}[{k}] = {text};")
    if isinstance(atom, Var):
        plan.define(atom, made)
    return made


def _numbers(plan: Plan, atom: Atom, items: Sequence[Atom]) -> Fact:
    exprs = [expr for item in items if (expr := plan.values.expr(item)) is not None]
    kind = join([plan.of(item).type for item in items])
    level = max(plan.of(item).level for item in items)
    name = plan.names.fresh(f"{atom}_list")
    made = Fact("turns", kind, level=level + 1, text=name, element="number")
    plan.declare(level, f"const {type_of(made)} {name}({len(exprs)});")
    for k, expr in enumerate(exprs):
        plan.call(level, f"{name}[{k}] = {expr.to(kind).text};")
    return made


def is_empty(plan: Plan, atom: Atom) -> bool:
    """Whether a list is written out and has no elements, so that it may become one of anything."""
    fact = plan.of(atom)
    made = fact.eqn.args if fact.kind == "index" and fact.eqn is not None else fact.items
    return fact.kind in ("list", "index") and not made


def _appended(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A list with one more element, which says what an empty one is a list of."""
    values, atom = eqn.args
    fact = plan.of(atom)
    if fact.kind in ("lane", "array"):
        array = plan.array(atom)
        made = Fact("turns", array.type, level=array.level, element="array")
        text = f"{array.text}.read_only()"
    elif fact.kind == "number":
        expr = plan.values.expr(atom)
        assert expr is not None
        made = Fact("turns", fact.type, level=fact.level, element="number")
        text = f"static_cast<{stored(fact.type)}>({expr.text})"
    else:
        raise plan.refuse("a list that grows by such an element is not compiled")
    before = replace(made, text=f"{type_of(made)}()") if is_empty(plan, values) else listed(plan, values)
    if (before.type, before.element, before.depth) != (made.type, made.element, 1):
        raise plan.refuse("a list that grows by an element of another type is not compiled")
    _made(plan, out, made, max(before.level, made.level), f"pb::appended({before.text}, {text})")


def _without_last(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = listed(plan, eqn.args[0])
    _made(plan, out, owner, owner.level, f"pb::without_last({owner.text})")


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
    elif owner.depth > 1:
        plan.declare(level, f"const auto& {name} = {text};")
        plan.define(out, replace(owner, depth=owner.depth - 1, level=level, text=name))
    elif owner.element == "array":
        view = plan.names.fresh(f"{name}_view")
        plan.declare(level, f"const auto {view} = {text};")
        plan.array_fact(out, view, owner.type, plan.own_shape("item", view), level)
    elif owner.element == "number":
        plan.declare(level, f"const {stored(owner.type)} {name} = {text};")
        plan.define(out, Fact("number", owner.type, level=level, text=name))
    elif owner.element == "index":
        plan.declare(level, f"const pb::Index {name} = {text};")
        plan.define(out, Fact("index", level=level, text=name))
    else:
        plan.declare(level, f"const pb::Shape {name} = {text};")
        token = plan.own_shape("item", name)
        kind: Kind = "like" if owner.element == "like" else "shape"
        plan.define(out, Fact(kind, owner.type, token, (Leaf(name, token, level),), level, name))


def _len(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = plan.of(eqn.args[0])
    plan.define(out, Fact("number", "weak int", level=owner.level, text=f"{owner.text}.size"))


def _made(plan: Plan, out: Var, like: Fact, level: int, call: str) -> None:
    """Define a list that a function of the headers gives."""
    name = plan.names.of(out)
    made = replace(like, level=level, text=name)
    plan.declare(level, f"const {type_of(made)} {name} = {call};", computes=True)
    plan.define(out, made)


def _like(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = plan.of(eqn.args[0])
    if owner.element != "array":
        plan.define(out, owner)
        return
    _made(plan, out, replace(owner, element="like"), owner.level, f"pb::shapes_of({owner.text})")


# What a loop over an empty list collects, of which nobody reads an element.
_NOTHING = Fact("turns", "T", text="pb::List<pb::View<const T>>()", element="array")


def _joined(plan: Plan, eqn: Eqn, out: Var) -> None:
    collects = eqn.op in ("collect", "collect_flat")
    owner = _NOTHING if collects and is_empty(plan, eqn.args[0]) else listed(plan, eqn.args[0])
    axis = literal_of(eqn, "axis", 0)
    if eqn.op == "collect_flat" or axis is None:
        _flattened(plan, eqn, out, owner)
        return
    if owner.element != "array" or owner.depth > 1 or not isinstance(axis, int):
        raise plan.refuse(f"{eqn.op} of such a list is not compiled")
    level, call = owner.level, eqn.op
    if eqn.op == "concatenate":
        shape = f"pb::concatenated(context, {owner.text}, {axis})"
    elif eqn.op == "join_like":
        fact = like_of(plan, eqn)
        shape, level = fact.text, max(level, fact.level)
    else:
        each = f"pb::broadcast_of(context, {owner.text})"
        shape, call = f"pb::stacked(context, {each}, {owner.text}.size, {axis})", "stack"
    kind = stored(owner.type)
    view = plan.target(out, kind, shape, level)
    plan.call(level, f"pb::{call}(context, {owner.text}, {axis}, {view});")
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level + 1)


def _flattened(plan: Plan, eqn: Eqn, out: Var, owner: Fact) -> None:
    if owner.element != "array" or owner.depth > 1:
        raise plan.refuse(f"{eqn.op} of such a list is not compiled")
    kind = stored(owner.type)
    if eqn.op == "concatenate":
        why = '"need at least one array to concatenate"'
        plan.declare(owner.level, f"context.require({owner.text}.size > 0, PB_INVALID, {why});")
    view = plan.target(out, kind, f"pb::shape_of(pb::entries({owner.text}))", owner.level)
    plan.call(owner.level, f"pb::flatten(context, {owner.text}, {view});")
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), owner.level + 1)


def _shapes(plan: Plan, eqn: Eqn) -> Fact:
    likes = eqn.kwarg("likes")
    shapes = listed(plan, likes) if likes is not None else Fact("none")
    if shapes.element != "like" or shapes.depth > 1:
        raise plan.refuse(f"{eqn.op} of such a list is not compiled")
    return shapes


def _parted(plan: Plan, eqn: Eqn, out: Var) -> None:
    shapes, axis = _shapes(plan, eqn), literal_of(eqn, "axis", 0)
    if axis is not None and not isinstance(axis, int):
        raise plan.refuse(f"{eqn.op} of such a list is not compiled")
    whole = plan.array_of(eqn.args[0], stored(shapes.type))
    function = "unflatten" if axis is None else "split" if eqn.op == "split_like" else "unstack"
    along = "" if axis is None else f", {axis}"
    call = f"pb::{function}(context, {whole.text}.read_only(), {shapes.text}{along})"
    _made(plan, out, replace(shapes, element="array"), max(whole.level, shapes.level), call)


def _zeros(plan: Plan, eqn: Eqn, out: Var) -> None:
    shapes = _shapes(plan, eqn)
    call = f"pb::zeros_of<{stored(shapes.type)}>(context, {shapes.text})"
    _made(plan, out, replace(shapes, element="array"), shapes.level, call)


def _single(plan: Plan, eqn: Eqn, out: Var) -> None:
    shapes, index = _shapes(plan, eqn), eqn.kwarg("index")
    place = plan.values.number(index) if index is not None else None
    if place is None or index is None:
        raise plan.refuse("a list by such a place is not compiled")
    array = plan.array_of(eqn.args[0], stored(shapes.type))
    level = max(array.level, shapes.level, plan.of(index).level)
    call = f"pb::single(context, {array.text}.read_only(), {place}, {shapes.text})"
    _made(plan, out, replace(shapes, element="array"), level, call)


def _accumulate(plan: Plan, eqn: Eqn, out: Var) -> None:
    a, b = (listed(plan, atom) for atom in eqn.args)
    if a.type != b.type or (a.element, b.element, a.depth, b.depth) != ("array", "array", 1, 1):
        raise plan.refuse("a sum of such lists is not compiled")
    _made(plan, out, a, max(a.level, b.level), f"pb::add_lists(context, {a.text}, {b.text})")


def add_packed(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A saved value as a row of numbers."""
    fact = _index(plan, eqn.args[0])
    number = fact.element if fact.kind == "turns" else fact.kind
    row = "double" if number == "number" and fact.type in ("weak float", "double", "T") else "int64_t"
    view = plan.target(out, row, f"pb::shape_of(pb::packed_size({fact.text}))", fact.level)
    plan.call(fact.level, f"pb::pack<{_dtype(fact)}>(context, {fact.text}, {view});")
    plan.array_fact(out, view, row, plan.own_shape("packed", out.name), fact.level + 1)


def _index(plan: Plan, atom: Atom) -> Fact:
    """The fact of a value; an index in C++, the items of a tuple as a list."""
    fact = plan.of(atom)
    if fact.kind != "index" or fact.text:
        return fact
    single = fact.eqn is not None and fact.eqn.op == "slice"
    texts = [plan.values.index_item(item) for item in ([atom] if single else fact.items)]
    if any(text is None for text in texts):
        raise plan.refuse(f"{atom} is an index by such a value, which is not compiled")
    if single:
        return replace(fact, text=str(texts[0]))
    name = plan.names.fresh(f"{atom}_items")
    plan.declare(fact.level, f"const pb::List<pb::Index> {name}({len(texts)});")
    for k, text in enumerate(texts):
        plan.call(fact.level, f"{name}[{k}] = {text};")
    return Fact("turns", level=fact.level + 1, text=name, element="index")


def add_unpacked(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A saved value of its row of numbers."""
    rows = plan.array(eqn.args[0])
    kind, depth = literal_of(eqn, "kind"), literal_of(eqn, "depth", 0)
    assert isinstance(kind, str)
    assert isinstance(depth, int)
    element, _, dtype = kind.partition(" ")
    number = {"int": "weak int", "float": "weak float", "strong": "double", "bool": "weak bool"}.get(element)
    name = plan.names.of(out)
    token = plan.own_shape("unpacked", name)
    if element in ("index", "maybe") and not depth:
        _unpacked_choice(plan, out, rows, element, int(dtype) if dtype.isdigit() else None)
        return
    if depth:
        fact = Fact("turns", number or dtype, text=name, element="number" if number else element, depth=depth)
    elif number:
        fact = Fact("number", number, text=name)
    else:
        shape: Kind = "like" if element == "like" else "shape"
        fact = Fact(shape, dtype, token, (Leaf(name, token, rows.level),), rows.level, name)
    kind = type_of(fact) if depth else stored(number) if number else "pb::Shape"
    plan.declare(rows.level, f"const {kind} {name} = pb::unpack<{kind}>(context, {rows.text});")
    plan.define(out, replace(fact, level=rows.level))


def _unpacked_choice(plan: Plan, out: Var, rows: Fact, element: str, count: int | None) -> None:
    """An index, the items of one, or an integer that may be None."""
    name, level = plan.names.of(out), rows.level
    kind = "int64_t" if element == "maybe" else "pb::Index" if count is None else "pb::List<pb::Index>"
    plan.declare(level, f"const {kind} {name} = pb::unpack<{kind}>(context, {rows.text});")
    if element == "maybe":
        plan.define(out, Fact("number", "weak int", level=level, text=name, element="maybe"))
    elif count is None:
        plan.define(out, Fact("index", level=level, text=name))
    else:
        items = tuple(derived(f"{name}_at_{k}", "value") for k in range(count))
        for k, item in enumerate(items):
            plan.define(item, Fact("index", level=level, text=f"{name}[{k}]"))
        plan.define(out, Fact("index", level=level, items=items, eqn=Eqn((out,), "tuple", items)))


def _dtype(fact: Fact) -> str:
    """The type of arrays that a saved shape is for."""
    return "double" if fact.element == "number" or fact.kind == "number" else stored(fact.type)


_OPERATORS = {
    "appended": _appended,
    "without_last": _without_last,
    "item": _item,
    "len": _len,
    "like": _like,
    "stack": _joined,
    "collect": _joined,
    "collect_flat": _joined,
    "concatenate": _joined,
    "join_like": _joined,
    "split_like": _parted,
    "unstack_like": _parted,
    "unitem": _single,
    "zeros_list": _zeros,
    "accumulate": _accumulate,
}
