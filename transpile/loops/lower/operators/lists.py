"""Lists of C++: what a loop collected, what is carried as a list, and what is made of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....ir import Atom, Eqn, Literal, Var
from ....passes.kernel.types import join, stored
from ...expressions import (
    CONTEXT,
    Call,
    Convert,
    DataType,
    Element,
    Expression,
    Infix,
    ListOf,
    Member,
    Method,
    Name,
    New,
    ViewOf,
    call,
    node,
    read_only,
    run,
)
from ..facts import Fact, Kind, Leaf
from ..names import derived
from ..plan import Plan, literal_of
from .reductions import like_of


def is_collected(plan: Plan, eqn: Eqn) -> bool:
    """True where an equation reads a list of C++, or an element of a list by a variable."""
    if eqn.op not in _OPERATORS:
        return False
    if eqn.op == "accumulate":  # of which reductions that wait are not asked for
        return eqn.outs[0].kind == "list"
    atoms = [*eqn.args, *(atom for name, atom in eqn.kwargs if name in ("likes", "object"))]
    facts = [plan.of(atom) for atom in atoms if isinstance(atom, Var)]
    if any(fact.kind == "collected" for fact in facts):
        return True
    if eqn.op == "item" and isinstance(eqn.args[0], Literal):
        return is_table(eqn.args[0].value)
    if eqn.op == "item":
        return isinstance(eqn.args[1], Var) and (facts[0].kind == "list" or _is_list_of_values(facts[0]))
    return eqn.op in ("unitem", "zeros_list", "collect_flat", "appended", "without_last")


def _is_list_of_values(fact: Fact) -> bool:
    """True of a list of descriptions, and of the numbers of a row of a table."""
    return fact.kind == "index" and fact.eqn is not None and fact.eqn.op in ("list", "like", "tuple")


def add_collected_list(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An operator on such lists."""
    _OPERATORS[eqn.op](plan, eqn, out)


def type_of(fact: Fact) -> ListOf:
    """A list's type.

    >>> type_of(Fact("collected", "T", element="array"))
    ListOf(element=ViewOf(element='T'))
    """
    if fact.depth > 1:
        return ListOf(type_of(replace(fact, depth=fact.depth - 1)))
    if fact.element == "array":
        return ListOf(ViewOf(stored(fact.type)))
    kind = stored(fact.type)
    return ListOf({"number": kind, "scalar": kind, "index": "Index"}.get(fact.element, "Shape"))


def listed(plan: Plan, atom: Atom) -> Fact:
    """A list as one of C++, also one that is written out."""
    fact = plan.of(atom)
    if fact.kind == "collected":
        return fact
    items = fact.eqn.args if fact.kind == "index" and fact.eqn is not None else fact.items
    facts = [plan.of(item) for item in items]
    if facts and all(item.kind == "number" for item in facts):
        return _numbers(plan, atom, items)
    kinds = {"array" if item.kind in ("lane", "scalar") else item.kind for item in facts}
    types = {item.type for item in facts if item.kind != "shape"}
    if len(kinds) != 1 or len(types) > 1 or not kinds <= {"array", "like", "shape"}:
        raise plan.refuse("a list of such elements is not compiled in a loop")
    (element,) = kinds
    arrays = [plan.array(item) for item in items] if element == "array" else facts
    elements = [read_only(array.node) if element == "array" else array.node for array in arrays]
    level = max(array.level for array in arrays)
    name = plan.names.fresh(f"{plan.names.of(atom)}_list" if isinstance(atom, Var) else "items_list")
    made = Fact("collected", arrays[0].type, level=level + 1, known=Name(name), element=element)
    plan.new_list(level, name, type_of(made), elements)
    if isinstance(atom, Var):
        plan.define(atom, made)
    return made


def _numbers(plan: Plan, atom: Atom, items: Sequence[Atom]) -> Fact:
    scalars = [scalar for item in items if (scalar := plan.values.scalar(item)) is not None]
    kind = join([plan.of(item).type for item in items])
    level = max(plan.of(item).level for item in items)
    name = plan.names.fresh(f"{plan.names.of(atom) if isinstance(atom, Var) else 'numbers'}_list")
    made = Fact("collected", kind, level=level + 1, known=Name(name), element="number")
    plan.new_list(level, name, type_of(made), [scalar.to(kind).node for scalar in scalars])
    return made


def of_arrays(plan: Plan, owner: Fact) -> Fact:
    """A list of arrays; of values without axes, one of arrays of one entry each."""
    if owner.element != "scalar" or owner.depth > 1:
        return owner
    name = plan.names.fresh("views")
    made = replace(owner, element="array", known=Name(name))
    plan.let(owner.level, name, run("views_of", owner.node), type_of(made))
    return made


def is_empty(plan: Plan, atom: Atom) -> bool:
    """True where a list is written out and has no elements, so that it may become one of anything."""
    fact = plan.of(atom)
    made = fact.eqn.args if fact.kind == "index" and fact.eqn is not None else fact.items
    return fact.kind in ("list", "index") and not made


def _appended(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A list with one more element, which says what an empty one is a list of."""
    values, atom = eqn.args
    fact = plan.of(atom)
    before = None if is_empty(plan, values) else of_arrays(plan, listed(plan, values))
    if fact.kind in ("lane", "array", "scalar"):
        same = before is not None and plan.are_one_float({before.type, fact.type})
        array = plan.array_of(atom, before.type if before is not None and same else fact.type)
        made = Fact("collected", array.type, level=array.level, element="array")
        value: Expression = read_only(array.node)
    elif fact.kind == "number":
        number = plan.values.scalar(atom)
        assert number is not None
        made = Fact("collected", fact.type, level=fact.level, element="number")
        value = Convert(stored(fact.type), number.node)
    else:
        raise plan.refuse("a list that grows by such an element is not compiled")
    before = before or replace(made, known=New(type_of(made)))
    if (before.type, before.element, before.depth) != (made.type, made.element, 1):
        raise plan.refuse("a list that grows by an element of another type is not compiled")
    _made(plan, out, made, max(before.level, made.level), call("appended", before.node, value))


def _without_last(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = listed(plan, eqn.args[0])
    _made(plan, out, owner, owner.level, call("without_last", owner.node))


def is_table(value: object) -> bool:
    """True for a tuple of numbers of one type, or of such tuples, of one length at each depth.

    >>> is_table((0.5, 2.0)), is_table(((1, 0.5), (2, 0.1))), is_table((1, 0.5)), is_table(())
    (True, True, False, False)
    """
    if not isinstance(value, tuple) or not value:
        return False
    first = value[0]
    if not isinstance(first, tuple):
        return type(first) in (int, float) and all(type(each) is type(first) for each in value)
    if not all(isinstance(each, tuple) and len(each) == len(first) for each in value):
        return False
    return bool(first) and all(map(is_table, zip(*value, strict=True)))


def _element_of_table(plan: Plan, out: Var, table: tuple[Any, ...], position: Atom) -> None:
    """An element, by a number that is known when the kernel runs: a number, or a tuple of numbers."""
    if not isinstance(table[0], tuple):
        _define_item(plan, out, _numbers(plan, out, [Literal(each) for each in table]), position)
        return
    items = []
    for k, column in enumerate(zip(*table, strict=True)):
        items.append(derived(f"{out.name}_at_{k}", "value"))
        _element_of_table(plan, items[k], column, position)
    level = max(plan.of(item).level for item in items)
    plan.define(out, Fact("index", level=level, items=tuple(items), eqn=Eqn((out,), "tuple", tuple(items))))


def _item(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner, position = eqn.args
    if isinstance(owner, Literal):
        assert isinstance(owner.value, tuple)
        _element_of_table(plan, out, owner.value, position)
    else:
        _define_item(plan, out, listed(plan, owner), position)


def _define_item(plan: Plan, out: Var, owner: Fact, at: Atom) -> None:
    """Define an element of a list of C++."""
    position = plan.values.number(at)
    if position is None:
        raise plan.refuse("an element of such a list is not compiled")
    level = max(owner.level, plan.of(at).level)
    inside = at == derived("iteration", "value")  # of a loop over the list
    name = plan.names.of(out)
    if owner.element == "none":
        plan.define(out, Fact("none", "none"))
        return
    item: Expression = Element(owner.node, position)
    if not inside:
        item = Method(owner.node, "at", (CONTEXT, position))
    if owner.depth > 1:
        plan.let(level, name, item, reference=True)
        plan.define(out, replace(owner, depth=owner.depth - 1, level=level, known=Name(name)))
    elif owner.element == "array":
        view = plan.names.fresh(f"{name}_view")
        plan.let(level, view, item)
        plan.array_fact(out, Name(view), owner.type, plan.own_shape("item", view), level)
    elif owner.element == "scalar":
        plan.define_scalar(out, name, item, owner.type, level, computes=False)
    elif owner.element == "number":
        plan.let(level, name, item, stored(owner.type))
        plan.define(out, Fact("number", owner.type, level=level, known=Name(name)))
    elif owner.element == "index":
        plan.let(level, name, item, "Index")
        plan.define(out, Fact("index", level=level, known=Name(name)))
    else:
        plan.let(level, name, item, "Shape")
        token = plan.own_shape("item", name)
        kind: Kind = "like" if owner.element == "like" else "shape"
        plan.define(out, Fact(kind, owner.type, token, (Leaf(Name(name), token, level),), level, Name(name)))


def _len(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = plan.of(eqn.args[0])
    plan.define(out, Fact("number", "weak int", level=owner.level, known=Member(owner.node, "size")))


def _made(plan: Plan, out: Var, like: Fact, level: int, given: Call) -> None:
    """Define a list that a function of the runtime gives."""
    name = plan.names.of(out)
    made = replace(like, level=level, known=Name(name))
    plan.let(level, name, given, type_of(made), computes=True)
    plan.define(out, made)


def _like(plan: Plan, eqn: Eqn, out: Var) -> None:
    owner = plan.of(eqn.args[0])
    owner = of_arrays(plan, owner)
    if owner.element != "array":
        plan.define(out, owner)
        return
    _made(plan, out, replace(owner, element="like"), owner.level, call("shapes_of", owner.node))


# An empty list: of what a loop collects of none, nobody reads an element; what grows is mostly one of arrays.
NO_ARRAYS = Fact("collected", "T", known=New(ListOf(ViewOf("T"))), element="array")


def _joined(plan: Plan, eqn: Eqn, out: Var) -> None:
    collects = eqn.op in ("collect", "collect_flat")
    owner = NO_ARRAYS if collects and is_empty(plan, eqn.args[0]) else listed(plan, eqn.args[0])
    axis = literal_of(eqn, "axis", 0)
    if eqn.op == "collect_flat" or axis is None:
        _flattened(plan, eqn, out, owner)
        return
    if owner.element in ("scalar", "number") and owner.depth == 1 and _is_stack(eqn, axis):
        _in_a_row(plan, eqn, out, owner)
        return
    owner = of_arrays(plan, owner)
    if owner.element != "array" or owner.depth > 1 or not isinstance(axis, int):
        raise plan.refuse(f"{eqn.op} of such a list is not compiled")
    level, name = owner.level, eqn.op
    if eqn.op == "stack" or (eqn.op == "stacked" and stored(owner.type) != "double"):
        _require_some(plan, owner)
    if eqn.op == "concatenate":
        whole: Expression = run("concatenated", owner.node, axis)
    elif eqn.op == "join_like":
        fact = like_of(plan, eqn)
        whole, level = fact.node, max(level, fact.level)
    else:
        each = run("broadcast_of", owner.node)
        whole, name = run("stacked", each, Member(owner.node, "size"), axis), "stack"
    kind = stored(owner.type)
    view = plan.target(out, kind, whole, level)
    plan.call(level, run(name, owner.node, axis, view))
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level + 1)


def _array(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An array of numbers that a loop has collected."""
    held = eqn.kwarg("object")
    owner = None if held is None else listed(plan, held)
    if owner is None or owner.element != "number" or owner.depth > 1 or literal_of(eqn, "dtype") is not None:
        raise plan.refuse("an array of such a list is not compiled")
    _in_a_row(plan, eqn, out, owner)


def _is_stack(eqn: Eqn, axis: object) -> bool:
    """True where arrays become one along a new first axis."""
    return eqn.op in ("collect", "stack", "stacked") and axis in (0, -1)


def _in_a_row(plan: Plan, eqn: Eqn, out: Var, owner: Fact) -> None:
    """Values without axes as an array of one axis."""
    if eqn.op == "stack" or (eqn.op in ("stacked", "array") and stored(owner.type) != "double"):
        _require_some(plan, owner)
    kind = stored(owner.type)
    view = plan.target(out, kind, call("shape_of", Member(owner.node, "size")), owner.level)
    plan.call(owner.level, run("in_a_row", owner.node, view))
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), owner.level + 1)


def _require_some(plan: Plan, owner: Fact) -> None:
    some = Infix(">", Member(owner.node, "size"), node(0))
    why = "a stack of no arrays, which NumPy refuses or makes a float64 array of"
    plan.require(owner.level, some, why)


def _flattened(plan: Plan, eqn: Eqn, out: Var, owner: Fact) -> None:
    owner = of_arrays(plan, owner)
    if owner.element != "array" or owner.depth > 1:
        raise plan.refuse(f"{eqn.op} of such a list is not compiled")
    kind = stored(owner.type)
    if eqn.op == "concatenate":
        some = Infix(">", Member(owner.node, "size"), node(0))
        plan.require(owner.level, some, "need at least one array to concatenate", "INVALID")
    view = plan.target(out, kind, call("shape_of", call("entries", owner.node)), owner.level)
    plan.call(owner.level, run("flatten", owner.node, view))
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
    along = [] if axis is None else [axis]
    made = run(function, read_only(whole.node), shapes.node, *along)
    _made(plan, out, replace(shapes, element="array"), max(whole.level, shapes.level), made)


def _zeros(plan: Plan, eqn: Eqn, out: Var) -> None:
    shapes = _shapes(plan, eqn)
    made = run("zeros_of", shapes.node, of=stored(shapes.type))
    _made(plan, out, replace(shapes, element="array"), shapes.level, made)


def _single(plan: Plan, eqn: Eqn, out: Var) -> None:
    shapes, index = _shapes(plan, eqn), eqn.kwarg("index")
    place = plan.values.number(index) if index is not None else None
    if place is None or index is None:
        raise plan.refuse("a list by such a place is not compiled")
    array = plan.array_of(eqn.args[0], stored(shapes.type))
    level = max(array.level, shapes.level, plan.of(index).level)
    made = run("single", read_only(array.node), place, shapes.node)
    _made(plan, out, replace(shapes, element="array"), level, made)


def _accumulate(plan: Plan, eqn: Eqn, out: Var) -> None:
    a, b = (of_arrays(plan, listed(plan, atom)) for atom in eqn.args)
    if a.type != b.type or (a.element, b.element, a.depth, b.depth) != ("array", "array", 1, 1):
        raise plan.refuse("a sum of such lists is not compiled")
    _made(plan, out, a, max(a.level, b.level), run("add_lists", a.node, b.node))


def add_packed(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A saved value as a row of numbers."""
    fact = _index(plan, eqn.args[0])
    number = fact.element if fact.kind == "collected" else fact.kind
    row = "double" if number == "number" and fact.type in ("weak float", "double", "T") else "int64_t"
    view = plan.target(out, row, call("shape_of", call("packed_size", fact.node)), fact.level)
    plan.call(fact.level, run("pack", fact.node, view, of=_dtype(fact)))
    plan.array_fact(out, view, row, plan.own_shape("packed", out.name), fact.level + 1)


def _index(plan: Plan, atom: Atom) -> Fact:
    """The fact of a value; an index of the runtime's, the items of a tuple as a list."""
    fact = plan.of(atom)
    if fact.kind != "index" or fact.known is not None:
        return fact
    single = fact.eqn is not None and fact.eqn.op == "slice"
    wanted = [atom] if single else fact.items
    items = [item for one in wanted if (item := plan.values.index_item(one)) is not None]
    if len(items) != len(wanted):
        raise plan.refuse(f"{atom} is an index by such a value, which is not compiled")
    if single:
        return replace(fact, known=items[0])
    name = plan.names.fresh(f"{atom}_items")
    plan.new_list(fact.level, name, ListOf("Index"), items)
    return Fact("collected", level=fact.level + 1, known=Name(name), element="index")


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
        what = "number" if number else element
        fact = Fact("collected", number or dtype, known=Name(name), element=what, depth=depth)
    elif number:
        fact = Fact("number", number, known=Name(name))
    else:
        shape: Kind = "like" if element == "like" else "shape"
        fact = Fact(shape, dtype, token, (Leaf(Name(name), token, rows.level),), rows.level, Name(name))
    made: DataType = type_of(fact) if depth else stored(number) if number else "Shape"
    plan.let(rows.level, name, run("unpack", rows.node, of=made), made)
    plan.define(out, replace(fact, level=rows.level))


def _unpacked_choice(plan: Plan, out: Var, rows: Fact, element: str, count: int | None) -> None:
    """An index, the items of one, or an integer that may be None."""
    name, level = plan.names.of(out), rows.level
    kind: DataType = "int64_t" if element == "maybe" else "Index" if count is None else ListOf("Index")
    plan.let(level, name, run("unpack", rows.node, of=kind), kind)
    if element == "maybe":
        plan.define(out, Fact("number", "weak int", level=level, known=Name(name), element="maybe"))
    elif count is None:
        plan.define(out, Fact("index", level=level, known=Name(name)))
    else:
        items = tuple(derived(f"{name}_at_{k}", "value") for k in range(count))
        for k, item in enumerate(items):
            plan.define(item, Fact("index", level=level, known=Element(Name(name), node(k))))
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
    "stacked": _joined,
    "array": _array,
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
