"""The values that either side of a condition leaves, under one name after it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from ...ir import Atom, Eqn, Literal, Var
from ...passes.kernel.types import join, stored
from ..expressions import Constant, Name, Number, ViewOf, call, read_only, run
from ..statements import Assign, Do, Statement, Variable
from .facts import Fact, Leaf
from .names import derived
from .operators.lists import is_empty, listed, of_arrays, type_of
from .plan import Plan
from .scalars import Scalar

Sides = Sequence[tuple[Plan, Atom]]


def merge(plan: Plan, out: Var, sides: Sides, before: list[Statement], level: int) -> None:
    """Define `out` as what either side leaves; None is on a side that does not have it.

    `before` gains the declarations that stand before the statement, which is of this level.
    """
    there = [fact for _, _, fact in _there(sides)]
    if not there:
        plan.define(out, Fact("none", "none", literal=None))
        return
    kinds = {fact.kind for fact in there}
    if "collected" in kinds or (out.kind == "list" and kinds == {"list"}):
        _merge_lists(plan, out, sides, before, level)
    elif kinds & {"scalar", "lane", "array"} and "index" in kinds:
        raise plan.refuse(f"{out} is an array on one side of a condition, a slice or tuple on the other")
    elif _are_scalars(plan, out, kinds):
        _merge_scalars(plan, out, sides, before, level)
    elif kinds & {"scalar", "lane", "array"} or (out.kind == "tensor" and kinds == {"number"}):
        _merge_arrays(plan, out, sides, before, level)
    elif kinds == {"number"}:
        _merge_numbers(plan, out, sides, before, level)
    elif kinds in ({"like"}, {"shape"}) and len({fact.type for fact in there}) == 1:
        _merge_shapes(plan, out, sides, before, level)
    elif kinds == {"index"} and _differ_in_length(there):
        _merge_lists(plan, out, sides, before, level)
    elif kinds == {"index"} and len({(len(f.items), f.eqn.op) if f.eqn else None for f in there}) == 1:
        _merge_indices(plan, out, sides, before, level)
    elif kinds <= {"index", "number"}:
        _merge_index_items(plan, out, sides, before, level)
    else:
        raise plan.refuse(
            f"{out} is another kind of value on each side of a condition, which is not compiled"
        )


def _are_scalars(plan: Plan, out: Var, kinds: Set[str]) -> bool:
    """True where what either side leaves has no axes, and is computed of elements on one."""
    if "scalar" in kinds and kinds <= {"number", "scalar"}:
        return True
    return plan.has_no_axes(out) and kinds <= {"number", "scalar", "lane", "array"} and kinds != {"number"}


def _there(sides: Sides) -> list[tuple[Plan, Atom, Fact]]:
    """The sides that have a value."""
    facts = [(child, atom, _fact(child, atom)) for child, atom in sides]
    return [side for side in facts if side[2].kind != "none"]


def _fact(plan: Plan, atom: Atom) -> Fact:
    """The fact of a value; a slice or a tuple that is a literal consists of literals."""
    value = atom.value if isinstance(atom, Literal) else None
    if isinstance(value, slice) or value is Ellipsis:
        return Fact("index", known=plan.values.index_item(atom))
    if isinstance(value, tuple):
        items = tuple(map(Literal, value))
        return Fact("index", items=items, eqn=Eqn((), "tuple", items))
    return plan.of(atom)


def _differ_in_length(facts: Sequence[Fact]) -> bool:
    """True where lists that are written out have several lengths."""
    made = [fact.eqn for fact in facts if fact.eqn is not None and fact.eqn.op == "list"]
    return len(made) == len(facts) and len({len(eqn.args) for eqn in made}) > 1


def _maybe(sides: Sides) -> str:
    """The fact of a value that may be missing."""
    there = _there(sides)
    missing = len(there) < len(sides) or any(fact.element == "maybe" for _, _, fact in there)
    return "maybe" if missing else ""


def _merge_numbers(plan: Plan, out: Var, sides: Sides, before: list[Statement], level: int) -> None:
    there = _there(sides)
    kind = join(fact.type for _, _, fact in there)
    name = plan.names.of(out)
    maybe = _maybe(sides)
    absent = Constant("kNone") if maybe and stored(kind) == "int64_t" else None
    before.append(Variable(name, stored(kind), absent))
    for child, atom, _ in there:
        scalar = child.values.scalar(atom)
        assert scalar is not None
        child.closing.append(Assign(Name(name), scalar.to(kind).node))
    large = any(fact.large for _, _, fact in there)
    plan.define(out, Fact("number", kind, level=level + 1, known=Name(name), element=maybe, large=large))


def _merge_shapes(plan: Plan, out: Var, sides: Sides, before: list[Statement], level: int) -> None:
    there = _there(sides)
    name = plan.names.of(out)
    node = Name(name)
    before.append(Variable(name, "Shape"))
    for child, _, fact in there:
        child.closing.append(Assign(node, fact.node))
    token = plan.own_shape("if", name)
    leaves = (Leaf(node, token, level + 1),)
    first = there[0][2]
    plan.define(out, Fact(first.kind, first.type, token, leaves, level + 1, node, element=_maybe(sides)))


def _merge_indices(plan: Plan, out: Var, sides: Sides, before: list[Statement], level: int) -> None:
    """Element by element; what is the same literal on all sides stays one."""
    first = _there(sides)[0][2]
    if first.eqn is None or first.eqn.op == "slice":
        _merge_index_items(plan, out, sides, before, level)
        return
    items: list[Atom] = []
    for k in range(len(first.items)):
        facts = [(child, _fact(child, atom)) for child, atom in sides]
        parts = [(child, fact.items[k]) for child, fact in facts if fact.kind != "none"]
        if len({str(atom) for _, atom in parts}) == 1 and isinstance(parts[0][1], Literal):
            items.append(parts[0][1])
            continue
        item = derived(f"{out.name}_at_{k}", "value")
        if any(_fact(child, atom).kind == "none" for child, atom in parts):
            _merge_index_items(plan, item, parts, before, level)
        else:
            missing = [(child, Literal(None)) for child, fact in facts if fact.kind == "none"]
            merge(plan, item, [*parts, *missing], before, level)
        items.append(item)
    plan.define(out, Fact("index", level=level + 1, items=tuple(items), eqn=first.eqn))


def _merge_index_items(plan: Plan, out: Var, sides: Sides, before: list[Statement], level: int) -> None:
    """One item of an index: a number, a slice, `...`, and None, which is a new axis."""
    name = plan.names.of(out)
    for child, atom in sides:
        item = child.values.index_item(atom)
        if item is None:
            raise plan.refuse(f"{out} is another kind of index on each side of a condition")
        child.closing.append(Assign(Name(name), item))
    before.append(Variable(name, "Index", call("new_axis")))
    plan.define(out, Fact("index", level=level + 1, known=Name(name)))


def _merge_lists(plan: Plan, out: Var, sides: Sides, before: list[Statement], level: int) -> None:
    """A list is empty after a side that does not have it."""
    there = _there(sides)
    lists = [
        (child, of_arrays(child, listed(child, atom)))
        for child, atom, _ in there
        if not is_empty(child, atom)
    ]
    if not lists:
        plan.define(out, there[0][2])
        return
    first = lists[0][1]
    if any(fact != replace(first, level=fact.level, known=fact.known) for _, fact in lists):
        raise plan.refuse(f"{out} is a list of other elements on each side of a condition")
    if first.element == "none":
        plan.define(out, replace(first, level=level + 1))
        return
    name = plan.names.of(out)
    before.append(Variable(name, type_of(first)))
    for child, fact in lists:
        child.closing.append(Assign(Name(name), fact.node))
    plan.define(out, replace(first, level=level + 1, known=Name(name)))


def _merge_arrays(plan: Plan, out: Var, sides: Sides, before: list[Statement], level: int) -> None:
    facts = [child.of(atom) for child, atom in sides]
    own = [fact for child, atom, fact in _there(sides) if not _is_zero_gradient(child, atom)] or facts
    kind = _joined_type(plan, out, own)
    view = plan.names.fresh(f"{plan.names.of(out)}_view")
    output = plan.claim_output(out)
    read_again = output is None or out in plan.uses
    if read_again:
        maybe = any(fact.kind == "none" for fact in facts)
        before.append(Variable(view, ViewOf(kind), call("nothing", of=kind) if maybe else None))
    for (child, atom), fact in zip(sides, facts, strict=True):
        if fact.kind == "none":
            if output is not None:
                # A hidden output of the side that is not taken: nobody reads it.
                absent = run("absent", output, of=kind)
                child.closing.append(Assign(Name(view), absent) if read_again else Do(absent))
            continue
        given = child.delivered(atom, kind, output, plan.names.of(out), read_again)
        if read_again:
            child.closing.append(Assign(Name(view), read_only(given)))
    made = plan.array_fact(out, Name(view), kind, plan.own_shape("if", view), level + 1)
    plan.define(out, replace(made, element=_maybe(sides)))


def _merge_scalars(plan: Plan, out: Var, sides: Sides, before: list[Statement], level: int) -> None:
    there = _there(sides)
    own = [fact for child, atom, fact in there if not _is_zero_gradient(child, atom)]
    each = own or [fact for _, _, fact in there]
    # A number of Python's that is made of entries stays one.
    kind = join(fact.type for fact in each) if out.kind == "value" else _joined_type(plan, out, each)
    name, maybe = plan.names.of(out), _maybe(sides)
    before.append(Variable(name, stored(kind), Number(0, stored(kind)) if maybe else None))
    for child, atom, fact in there:
        # One that may be None is passed on with what stands for it, which nobody reads.
        scalar = Scalar(fact.node, fact.type) if fact.kind == "scalar" else child.scalar(atom)
        if scalar is None:
            raise plan.refuse(f"{out} may be None on a side of a condition, which is not compiled")
        child.closing.append(Assign(Name(name), scalar.to(kind).node))
    plan.define(out, Fact("scalar", kind, level=level + 1, known=Name(name), element=maybe))


def _joined_type(plan: Plan, out: Var, facts: Sequence[Fact]) -> str:
    """The type of what either side leaves. Refuses types that NumPy would leave as they are."""
    strong = {fact.type for fact in facts if fact.kind in ("scalar", "lane", "array")}
    if len(strong) > 1 and not plan.are_one_float(strong):
        message = f"{out} has another dtype on each side of a condition, which is not compiled"
        raise plan.refuse(message, "give both sides one, as by `np.zeros(n, dtype=x.dtype)`")
    return stored(join(fact.type for fact in facts if fact.kind != "none"))


def _is_zero_gradient(plan: Plan, atom: Atom) -> bool:
    """True for the zeros of any type that a sweep writes for a side without a part in a gradient."""
    made = next((eqn for eqn in plan.kernel.block.eqns if atom in eqn.outs), None)
    return made is not None and made.op == "broadcast_like" and made.args[0] == Literal(0.0)
