"""Equations into a plan: one function per kind of operator."""

from __future__ import annotations

from collections.abc import Callable

from ...ir import Atom, Eqn, Literal, Span, Var
from . import extents
from .facts import Fact, Leaf
from .kernel import ShapeSet
from .lanes import CHOICE, POINTWISE, Expr, lane, refusal, result_type
from .plan import Plan, literal_of
from .types import join, stored
from .values import VALUE_OPS
from .views import VIEWS, view_call

_REDUCTIONS = {"sum": "Sum", "mean": "Sum", "prod": "Prod", "max": "Max", "min": "Min"}
_DTYPES = {"float64": "double", "bool": "bool", "bool_": "bool", "int64": "int64_t"}


def add_equation(plan: Plan, eqn: Eqn) -> None:
    """Enter an equation into the plan. Raises FormulaError for what is not compiled."""
    plan.enter(eqn)
    if eqn.op == "if" and any(out.kind != "value" for out in eqn.outs):
        _assumed_branch(plan, eqn)
        return
    if len(eqn.outs) != 1:
        raise plan.refuse(f"{eqn.op} is not compiled")
    (out,) = eqn.outs
    if eqn.op == "item" and out.kind == "tensor":
        _item(plan, eqn, out)
    elif out.kind == "value" or eqn.op in VALUE_OPS:
        _value(plan, eqn, out)
    elif eqn.op == "accumulate":
        _accumulate(plan, eqn, out)
    elif eqn.op in POINTWISE:
        _pointwise(plan, eqn, out)
    elif eqn.op in _REDUCTIONS:
        _reduction(plan, eqn, out)
    elif eqn.op in VIEWS:
        _view(plan, eqn, out)
    elif eqn.op in _OTHER:
        _OTHER[eqn.op](plan, eqn, out)
    else:
        raise plan.refuse(f"{eqn.op} is not compiled")


def _value(plan: Plan, eqn: Eqn, out: Var) -> None:
    fact = _chosen_value(plan, eqn) if eqn.op == "if" else plan.values.compute(eqn)
    if fact is None:
        raise plan.refuse(f"{eqn.op} of these values is not compiled")
    level = max((plan.of(atom).level for atom in eqn.args), default=0)
    named = fact.kind == "number" and not out.temp and fact.literal is None
    if named or (fact.kind == "like" and fact.text.startswith("pb::")):
        name = plan.names.of(out)
        kind = "pb::Shape" if fact.kind == "like" else stored(fact.type)
        plan.declare(level, f"const {kind} {name} = {fact.text};")
        fact = Fact(fact.kind, fact.type, fact.shape, fact.leaves, level, name)
    plan.define(out, Fact(fact.kind, fact.type, fact.shape, fact.leaves, level, fact.text, eqn, fact.items, fact.literal))


def _assumed_branch(plan: Plan, eqn: Eqn) -> None:
    """A choice of arrays by a condition on numbers: only the second side is compiled.

    The first side is the special case, a vector or an absent operand, for
    which the kernel refuses and the reference formula runs.
    """
    condition = plan.values.expr(eqn.args[0])
    if condition is None:
        raise plan.refuse("a choice by a condition on arrays is not compiled")
    if condition.literal is None:
        text = f"context.require(!{condition.within(CHOICE)}, PB_UNSUPPORTED, "
        level = plan.of(eqn.args[0]).level
        plan.declare(level, f'{text}"compiled for the other case of a condition");', computes=True)
    side = eqn.blocks[0 if condition.literal else 1]
    for inner in side.eqns:
        add_equation(plan, inner)
    for out, atom in zip(eqn.outs, side.results, strict=True):
        fact = plan.of(atom)
        if out.kind == "tensor" and fact.kind == "number":
            fact = Fact("lane", stored(fact.type), fact.shape, fact.leaves, fact.level, "", _same(out, atom))
        if fact.kind != "none":
            plan.define(out, fact)


def _same(out: Var, atom: Atom) -> Eqn:
    return Eqn((out,), "positive", (atom,))


def _chosen_value(plan: Plan, eqn: Eqn) -> Fact | None:
    """A number by a condition on numbers; both sides are harmless to compute."""
    condition = plan.values.expr(eqn.args[0])
    sides = []
    chosen = eqn.blocks
    if condition is not None and condition.literal is not None:
        chosen = eqn.blocks[:1] if condition.literal else eqn.blocks[1:]
    for block in chosen:
        for inner in block.eqns:
            add_equation(plan, inner)
        sides.append(plan.values.expr(block.results[0]))
    plan.enter(eqn)
    then, other = sides[0], sides[-1]
    if condition is None or then is None or other is None:
        return None
    if then is other:
        return Fact("number", then.type, text=then.text, literal=then.literal)
    kind = join([then.type, other.type])
    truth = Expr(condition.text, condition.type, condition.precedence, condition.literal)
    return Fact("number", kind, text=lane("where", [truth, then, other], kind).within(CHOICE))


def _pointwise(plan: Plan, eqn: Eqn, out: Var) -> None:
    args = list(eqn.args)
    if eqn.op == "clip":
        bounds = [eqn.kwarg(name) or Literal(None) for name in ("a_min", "a_max")]
        args = [*args, *bounds[len(args) - 1 :]]
    facts = [plan.of(atom) for atom in args]
    if any(fact.kind not in ("lane", "array", "number", "none") for fact in facts):
        raise plan.refuse(f"{eqn.op} of such operands is not compiled")
    types = [fact.type for fact in facts if fact.kind != "none"]
    if eqn.op == "astype":
        kind = _cast_type(plan, eqn)
    else:
        why = refusal(eqn.op, types)
        if why:
            raise plan.refuse(why)
        kind = result_type(eqn.op, types)
    if eqn.op == "round" and literal_of(eqn, "decimals", 0) != 0:
        raise plan.refuse("round to decimals is not compiled")
    _lane(plan, out, Eqn(eqn.outs, eqn.op, tuple(args), (), (), eqn.span), kind, facts)


def _lane(plan: Plan, out: Var, eqn: Eqn, kind: str, facts: list[Fact], extra: tuple[Leaf, ...] = ()) -> None:
    shape = extents.join([*(f.shape for f in facts), *(leaf.shape for leaf in extra)])
    leaves = (*(leaf for fact in facts for leaf in fact.leaves), *extra)
    level = max((fact.level for fact in facts), default=0)
    plan.define(out, Fact("lane", stored(kind), shape, leaves, level, "", eqn))


def _cast_type(plan: Plan, eqn: Eqn) -> str:
    dtype = literal_of(eqn, "dtype")
    if isinstance(dtype, Var):
        return plan.known(dtype).type
    name = str(getattr(dtype, "__name__", dtype))
    if name not in _DTYPES:
        raise plan.refuse(f"a cast to {name} is not compiled")
    return _DTYPES[name]


def _reduction(plan: Plan, eqn: Eqn, out: Var) -> None:
    fact = plan.of(eqn.args[0])
    if fact.kind == "number":
        raise plan.refuse(f"{eqn.op} of a number is not compiled")
    keepdims = literal_of(eqn, "keepdims", False)
    axis = literal_of(eqn, "axis")
    axes = None if axis is None else plan.values.axes(eqn.kwarg("axis"))
    if not isinstance(keepdims, bool) or (axis is not None and axes is None):
        raise plan.refuse(f"{eqn.op} over axes that are not known when it is compiled")
    if eqn.op in ("max", "min") and fact.type not in ("T", "double"):
        raise plan.refuse(f"{eqn.op} is compiled for floats only")
    term = "double" if eqn.op == "mean" and fact.type in ("bool", "int64_t") else fact.type
    kind = "int64_t" if fact.type == "bool" and eqn.op != "mean" else term
    source = plan.shape_text(fact.leaves)
    name = plan.names.fresh(f"{plan.names.of(out)}_axes")
    if axes is None:
        plan.declare(fact.level, f"const unsigned {name} = pb::all_axes({source}.ndim);")
    else:
        plan.declare(fact.level, f"const unsigned {name} = pb::axis_set(context, {axes}, {source}.ndim);")
    left = f"pb::reduced({source}, {name}, {str(keepdims).lower()})"
    view = plan.target(out, kind, left, fact.level)
    target = view if keepdims else f"pb::expand_dims({view}, {name})"
    plan.reduce(out, eqn.args[0], fact, target, _REDUCTIONS[eqn.op], mean=eqn.op == "mean")
    plan.array_fact(out, view, kind, extents.reduced(fact.shape, axis, keepdims), fact.level + 1)


def _sum_to(plan: Plan, eqn: Eqn, out: Var) -> None:
    fact, like = plan.of(eqn.args[0]), _like(plan, eqn)
    if fact.kind == "number" or extents.join([fact.shape, like.shape]) == like.shape == fact.shape:
        _cast_to(plan, eqn, out, fact, like)
        return
    _defer_sum(plan, eqn, out, eqn.args[0], like)


def _defer_sum(plan: Plan, eqn: Eqn, out: Var, value: Atom, like: Fact) -> None:
    """A sum waits, so that the sum of two sums can become one."""

    def begin() -> None:
        plan.enter(eqn)
        fact = plan.of(value)
        view = plan.target(out, like.type, like.text, fact.level)
        stage = plan.reduce(out, value, fact, view, "Sum")
        if plan.kernel.undefined:
            stage.covers.append(like.text)
        plan.array_fact(out, view, like.type, like.shape, fact.level + 1)

    plan.defer(out, Fact("total", like.type, like.shape, like.leaves, 0, like.text, eqn, (value,)), begin)


def _accumulate(plan: Plan, eqn: Eqn, out: Var) -> None:
    pending = [plan.pending(atom) if isinstance(atom, Var) else None for atom in eqn.args]
    first, second = pending
    if first is None or second is None or first.text != second.text:
        _pointwise(plan, eqn, out)
        return
    terms = (first.items[0], second.items[0])
    facts = [plan.of(term) for term in terms]
    if facts[0].shape != facts[1].shape:
        _pointwise(plan, eqn, out)
        return
    both = Var(f"_{out.name}", temp=True)
    kind = result_type("accumulate", [fact.type for fact in facts])
    _lane(plan, both, Eqn((both,), "accumulate", terms, (), (), eqn.span or _span_of(facts)), kind, facts)
    _defer_sum(plan, eqn, out, both, Fact("like", first.type, first.shape, first.leaves, 0, first.text))


def _span_of(facts: list[Fact]) -> Span | None:
    return next((fact.eqn.span for fact in facts if fact.eqn is not None), None)


def _broadcast_like(plan: Plan, eqn: Eqn, out: Var) -> None:
    _cast_to(plan, eqn, out, plan.of(eqn.args[0]), _like(plan, eqn))


def _cast_to(plan: Plan, eqn: Eqn, out: Var, fact: Fact, like: Fact) -> None:
    positive = Eqn(eqn.outs, "positive", eqn.args[:1], (), (), eqn.span)
    _lane(plan, out, positive, like.type, [fact], like.leaves)


def _like(plan: Plan, eqn: Eqn) -> Fact:
    atom = eqn.kwarg("like") or (eqn.args[1] if len(eqn.args) > 1 else None)
    if not isinstance(atom, Var) or plan.known(atom).kind != "like":
        raise plan.refuse(f"{eqn.op} needs a saved shape")
    return plan.known(atom)


def _filled(plan: Plan, eqn: Eqn, out: Var) -> None:
    fact = plan.of(eqn.args[0])
    value: Atom = Literal({"zeros_like": 0, "ones_like": 1}.get(eqn.op))
    if eqn.op == "full_like":
        value = eqn.kwarg("fill_value") or eqn.args[1]
    positive = Eqn(eqn.outs, "positive", (value,), (), (), eqn.span)
    filler = plan.of(value)
    if filler.kind not in ("number", "lane", "array"):
        raise plan.refuse("full_like of such a value is not compiled")
    _lane(plan, out, positive, fact.type, [filler], fact.leaves)


def _view(plan: Plan, eqn: Eqn, out: Var) -> None:
    fact = plan.array(eqn.args[0])
    text = view_call(eqn.op, fact.text, dict(eqn.kwargs), plan.values)
    if text is None:
        raise plan.refuse(f"{eqn.op} with such arguments is not compiled")
    level = max([fact.level, *(plan.of(atom).level for _, atom in eqn.kwargs)])
    view = plan.names.fresh(f"{plan.names.of(out)}_view")
    plan.declare(level, f"const auto {view} = {text};", computes=True)
    known = tuple((key, str(atom)) for key, atom in eqn.kwargs)
    argument = literal_of(eqn, "axis") if eqn.op == "expand_dims" else known
    plan.array_fact(out, view, fact.type, extents.view(eqn.op, fact.shape, argument), level)


def _matmul(plan: Plan, eqn: Eqn, out: Var) -> None:
    left, right = plan.array(eqn.args[0]), plan.array(eqn.args[1])
    kind = join([left.type, right.type])
    if left.type != right.type or kind not in ("T", "double"):
        raise plan.refuse("matmul of different types is not compiled")
    level = max(left.level, right.level)
    shape = f"pb::matmul_shape(context, {left.text}.shape, {right.text}.shape)"
    view = plan.target(out, kind, shape, level)
    plan.call(level, f"pb::matmul(context, {left.text}, {right.text}, {view});")
    plan.array_fact(out, view, kind, frozenset({("matmul", left.shape, right.shape)}), level + 1)


def _unslice(plan: Plan, eqn: Eqn, out: Var) -> None:
    fact = plan.of(eqn.args[0])
    index, shape = eqn.kwarg("index"), eqn.kwarg("shape")
    items = plan.values.index(index) if index is not None else None
    text = plan.values.shape(shape) if shape is not None else None
    if items is None or text is None or fact.kind == "number":
        raise plan.refuse("unslice by such an index is not compiled")
    view = plan.target(out, fact.type, text, fact.level, kept=True)
    plan.declare(fact.level, f"pb::fill(context, {view}, {stored(fact.type)}(0));", computes=True)
    part = plan.names.fresh(f"{plan.names.of(out)}_part")
    plan.declare(fact.level, f"const auto {part} = pb::take(context, {view}, {{{', '.join(items)}}});")
    plan.store(eqn.args[0], fact, part)
    owner = plan.of(shape).shape if isinstance(shape, Var) else frozenset[object]()
    plan.array_fact(out, view, fact.type, owner or frozenset({("unslice", text)}), fact.level + 1)


def _split(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The stretches of an array that belong to the parts it was joined of, as a list of views."""
    likes, axis = eqn.kwarg("likes"), literal_of(eqn, "axis", 0)
    known = plan.of(likes).items if isinstance(likes, Var) else ()
    facts = [plan.of(atom) for atom in known]
    if not known or not isinstance(axis, int) or any(fact.kind != "like" for fact in facts):
        raise plan.refuse(f"{eqn.op} of a list that is not written out is not compiled")
    whole = plan.array(eqn.args[0])
    shapes = plan.names.fresh(f"{plan.names.of(out)}_parts")
    texts = ", ".join(fact.text for fact in facts)
    plan.declare(whole.level, f"const pb::Shape {shapes}[] = {{{texts}}};")
    stacked = str(eqn.op == "unstack_like").lower()
    parts = []
    for index, fact in enumerate(facts):
        part = Var(f"{out.name}_{index}")
        view = plan.names.fresh(f"{plan.names.of(part)}_view")
        text = f"pb::joined_part(context, {whole.text}, {shapes}, {index}, {axis}, {stacked})"
        plan.declare(whole.level, f"const auto {view} = {text};", computes=True)
        plan.array_fact(part, view, whole.type, fact.shape, whole.level)
        parts.append(part)
    plan.define(out, Fact("list", items=tuple(parts)))


def _item(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An element of a list of arrays."""
    owner, position = plan.of(eqn.args[0]), eqn.args[1]
    index = position.value if isinstance(position, Literal) else None
    if not isinstance(index, int) or not -len(owner.items) <= index < len(owner.items):
        raise plan.refuse("an element of such a list is not compiled")
    plan.define(out, plan.of(owner.items[index]))


def _moved(plan: Plan, eqn: Eqn, out: Var) -> None:
    """flip and moveaxis: views whose axes are known."""
    fact = plan.array(eqn.args[0])
    if eqn.op == "flip":
        axes = plan.values.axes(eqn.kwarg("axis"))
        every = literal_of(eqn, "axis") is None
        chosen = f"pb::axis_set(context, {axes}, {fact.text}.shape.ndim)"
        text = f"pb::flip({fact.text}, {f'pb::all_axes({fact.text}.shape.ndim)' if every else chosen})"
    else:
        axes = plan.values.axes(eqn.kwarg("source"))
        target = plan.values.axes(eqn.kwarg("destination"))
        every = False
        text = f"pb::moveaxis(context, {fact.text}, {axes}, {target})"
        axes = axes if target else None
    if axes is None and not every:
        raise plan.refuse(f"{eqn.op} over axes that are not known when it is compiled")
    view = plan.names.fresh(f"{plan.names.of(out)}_view")
    plan.declare(fact.level, f"const auto {view} = {text};", computes=True)
    arguments = tuple((key, str(atom)) for key, atom in eqn.kwargs)
    plan.array_fact(out, view, fact.type, extents.view(eqn.op, fact.shape, arguments), fact.level)


def _join_arrays(plan: Plan, eqn: Eqn, out: Var) -> None:
    parts = [plan.of(atom) for atom in _list(plan, eqn)]
    axis = literal_of(eqn, "axis", 0)
    kind = join(part.type for part in parts)
    if not isinstance(axis, int) or any(part.kind not in ("lane", "array") or part.type != kind for part in parts):
        raise plan.refuse(f"{eqn.op} of such arrays is not compiled")
    level = max(part.level for part in parts)
    name = plan.names.of(out)
    shapes = plan.names.fresh(f"{name}_parts")
    texts = ", ".join(plan.shape_text(part.leaves) for part in parts)
    plan.declare(level, f"const pb::Shape {shapes}[] = {{{texts}}};")
    stacked = str(eqn.op == "stack").lower()
    view = plan.target(out, kind, f"pb::joined(context, {shapes}, {axis}, {stacked})", level, kept=True)
    for index, (atom, part) in enumerate(zip(_list(plan, eqn), parts, strict=True)):
        target = f"pb::joined_part(context, {view}, {shapes}, {index}, {axis}, {stacked})"
        moved = Fact(part.kind, part.type, part.shape, part.leaves, level, part.text, part.eqn)
        plan.store(atom, moved, target)
    token: ShapeSet = frozenset({(eqn.op, axis, tuple(part.shape for part in parts))})
    plan.array_fact(out, view, kind, token, level + 1)


def _list(plan: Plan, eqn: Eqn) -> tuple[Atom, ...]:
    owner = eqn.args[0]
    fact = plan.of(owner)
    if fact.kind not in ("list", "index") or not fact.items:
        raise plan.refuse(f"{eqn.op} of a list that is not written out is not compiled")
    return fact.items


def _make_list(plan: Plan, eqn: Eqn, out: Var) -> None:
    plan.define(out, Fact("list", items=eqn.args))


_OTHER: dict[str, Callable[[Plan, Eqn, Var], None]] = {
    "sum_to": _sum_to,
    "broadcast_like": _broadcast_like,
    "zeros_like": _filled,
    "ones_like": _filled,
    "full_like": _filled,
    "matmul": _matmul,
    "unslice": _unslice,
    "concatenate": _join_arrays,
    "stack": _join_arrays,
    "split_like": _split,
    "unstack_like": _split,
    "flip": _moved,
    "moveaxis": _moved,
    "list": _make_list,
}

# What an emitter's caller leaves uninlined.
PRIMITIVES = frozenset({*POINTWISE, *_REDUCTIONS, *VIEWS, *_OTHER, *VALUE_OPS})
