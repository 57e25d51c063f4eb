"""Reductions into a plan: each ends a stage, and its result is an array for later ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....ir import Atom, Eqn, Literal, Span, Var
from ....passes.kernel.types import FLOATS, stored
from ...expressions import Expression, Infix, call, node, rank, run
from .. import shape_sets
from ..facts import Fact, Leaf
from ..names import derived
from ..plan import Plan, literal_of
from ..scalars import result_type
from ..stages import Reduced
from .pointwise import add_lane, add_pointwise, cast_to, dtype_of

REDUCTIONS = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "max", "min": "min"}


def add_reduction(plan: Plan, eqn: Eqn, out: Var) -> None:
    """sum, mean, prod, max or min over axes that are known."""
    fact = plan.of(eqn.args[0])
    if fact.kind == "number":
        raise plan.refuse(f"{eqn.op} of a number is not compiled")
    if fact.kind == "scalar":
        fact = plan.array(eqn.args[0])
    keepdims = literal_of(eqn, "keepdims", False)
    axis = literal_of(eqn, "axis")
    axes = None if axis is None else plan.values.axes(eqn.kwarg("axis"))
    if not isinstance(keepdims, bool) or (axis is not None and axes is None):
        raise plan.refuse(f"{eqn.op} over axes that are not known when it is compiled")
    if eqn.op in ("max", "min") and fact.type not in FLOATS:
        raise plan.refuse(f"{eqn.op} is compiled for floats only")
    term = "double" if eqn.op == "mean" and fact.type in ("bool", "int64_t") else fact.type
    kind = "int64_t" if fact.type == "bool" and eqn.op != "mean" else term
    source = plan.shape_text(fact.leaves)
    name = plan.names.fresh(f"{plan.names.of(out)}_axes")
    chosen = call("all_axes", rank(source)) if axes is None else run("axis_set", axes, rank(source))
    plan.let(fact.level, name, chosen, "unsigned")
    view = plan.target(out, kind, call("reduced", source, name, keepdims), fact.level)
    target: Expression = view if keepdims else call("expand_dims", view, name)
    sink = Reduced(eqn.args[0], target, plan.names.of(out), REDUCTIONS[eqn.op], stored(term), stored(kind))
    sink = replace(sink, mean=eqn.op == "mean", once=shape_sets.is_along(axis))
    plan.reduce(fact, sink)
    plan.array_fact(out, view, kind, shape_sets.reduced(fact.shape, axis, keepdims), fact.level + 1)


def add_sum_to(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The reduction of a gradient to its operand; nothing where the shapes are provably equal."""
    fact, like = plan.of(eqn.args[0]), like_of(plan, eqn)
    if fact.kind == "number":
        raise plan.refuse("a gradient that is a number is not compiled")
    if fact.shape == like.shape or (plan.has_no_axes(out) and plan.scalars(eqn.args[:1])):
        cast_to(plan, eqn, out, fact, like)
        return
    _defer_sum(plan, eqn, out, eqn.args[0], like)


def _defer_sum(plan: Plan, eqn: Eqn, out: Var, value: Atom, like: Fact) -> None:
    """A sum waits, so that the sum of two sums can become one."""

    def begin() -> None:
        plan.enter(eqn)
        fact = plan.of(value)
        level = max([fact.level, like.level, *(leaf.level for leaf in like.leaves)])
        if fact.kind == "lane" and level > fact.level and plan.cones.is_large(value):
            fact = plan.array(value)
        fact = replace(fact, level=max(fact.level, level))
        view = plan.target(out, like.type, like.node, fact.level)
        once = shape_sets.is_once(like.shape) and not shape_sets.is_once(fact.shape)
        sink = Reduced(
            value, view, plan.names.of(out), "sum", stored(fact.type), stored(like.type), once=once
        )
        stage = plan.reduce(fact, sink)
        if plan.kernel.undefined:
            stage.covers.append(like.node)
        plan.array_fact(out, view, like.type, like.shape, fact.level + 1)

    plan.defer(out, Fact("total", like.type, like.shape, like.leaves, 0, like.node, eqn, (value,)), begin)


def add_accumulate(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The sum of two gradients; of two reductions to one shape, the reduction of their sum."""
    first, second = map(plan.pending, eqn.args)
    if first is None or second is None or first.known != second.known:
        add_pointwise(plan, eqn, out)
        return
    terms = (first.items[0], second.items[0])
    facts = [plan.of(term) for term in terms]
    if facts[0].shape != facts[1].shape:
        add_pointwise(plan, eqn, out)
        return
    both = derived(out.name)
    kind = result_type("accumulate", [fact.type for fact in facts])
    add_lane(plan, both, Eqn((both,), "accumulate", terms, (), (), eqn.span or _span_of(facts)), kind, facts)
    _defer_sum(
        plan, eqn, out, both, Fact("like", first.type, first.shape, first.leaves, first.level, first.known)
    )


def _span_of(facts: list[Fact]) -> Span | None:
    return next((fact.eqn.span for fact in facts if fact.eqn is not None), None)


def add_broadcast_like(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An array repeated to a saved shape."""
    cast_to(plan, eqn, out, plan.of(eqn.args[0]), like_of(plan, eqn))


def add_expect_like(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An array whose shape is checked; from here on it counts as that shape."""
    fact, like = plan.of(eqn.args[0]), like_of(plan, eqn)
    if fact.kind == "scalar":
        cast_to(plan, eqn, out, fact, like)
        return
    if fact.kind not in ("lane", "array"):
        raise plan.refuse("a cotangent that is no array is not compiled")
    level = max([fact.level, *(leaf.level for leaf in (*fact.leaves, *like.leaves))])
    have, why = plan.shape_text(fact.leaves), "an output and its part of v differ in shape"
    if have != like.node:
        plan.require(level, Infix("==", have, like.node), why, "INVALID")
    if fact.kind == "array" and fact.type == like.type:
        there = max([fact.level, *(leaf.level for leaf in plan.covering(like.leaves))])
        plan.define(out, replace(fact, shape=like.shape, leaves=like.leaves, level=there))
        return
    positive = Eqn(eqn.outs, "positive", eqn.args[:1], (), (), eqn.span)
    plan.define(out, Fact("lane", stored(like.type), like.shape, like.leaves, level, eqn=positive))


def add_gradient_like(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The operand, or zeros in its place where the saved type is none of floats."""
    fact, like = plan.of(eqn.args[0]), like_of(plan, eqn)
    if like.type in FLOATS and fact.kind in ("lane", "array", "scalar"):
        plan.define(out, fact)
        return
    value = eqn.args[0] if like.type in FLOATS else Literal(0)
    positive = Eqn(eqn.outs, "positive", (value,), (), (), eqn.span)
    add_lane(plan, out, positive, fact.type, [plan.of(value)], fact.leaves)


def add_in_place(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A value that replaces a number, or is written to an array, whose shape it must have.

    Python raises what a call for other arrays has to.
    """
    fact, old = plan.of(eqn.args[0]), plan.of(eqn.args[1])
    if old.kind == "number" or (fact.type == old.type and fact.kind == old.kind == "scalar"):
        plan.define(out, fact)
        return
    if "scalar" in (fact.kind, old.kind):
        fact, old = plan.array(eqn.args[0]), plan.array(eqn.args[1])
    if fact.kind not in ("lane", "array") or old.kind not in ("lane", "array"):
        raise plan.refuse("a write in place to what is no array is not compiled")
    level = max([fact.level, *(leaf.level for leaf in (*fact.leaves, *old.leaves))])
    have, whole = plan.shape_text(fact.leaves), plan.shape_text(old.leaves)
    number, fits = Infix("==", rank(whole), node(0)), Infix("==", have, whole)
    may_be_number = eqn.args[1] in plan.numbers
    if literal_of(eqn, "shared") is not None:
        if not may_be_number:
            raise plan.refuse("a write to an array under two names is not compiled")
        plan.require(level, number, "an array that is changed under two names")
    elif fact.type == old.type:
        if fact.shape != old.shape and have != whole:
            plan.require(
                level, Infix("||", number, fits) if may_be_number else fits, "a write that does not fit"
            )
    elif old.type not in FLOATS:
        raise plan.refuse("a write of numbers of another kind to an array is not compiled")
    else:
        plan.require(level, Infix(">", rank(whole), node(0)), "a number of another type takes its place")
        if have != whole:
            plan.require(level, fits, "a write that does not fit")
        positive = Eqn(eqn.outs, "positive", eqn.args[:1], (), (), eqn.span)
        # Where that does not hold, Python goes on with a number's shape: no other may stand for it.
        own = plan.own_shape("in_place", out.name)
        plan.define(out, Fact("lane", stored(old.type), own, (Leaf(have, own, level),), level, eqn=positive))
        return
    plan.define(out, fact)


def like_of(plan: Plan, eqn: Eqn) -> Fact:
    """The saved shape that an equation sums or broadcasts to."""
    atom = eqn.kwarg("like") or (eqn.args[1] if len(eqn.args) > 1 else None)
    fixed: Any = atom.value if isinstance(atom, Literal) else None
    if hasattr(fixed, "shape") and hasattr(fixed, "dtype"):
        kind, whole = dtype_of(plan, fixed.dtype), plan.values.shape(Literal(fixed.shape))
        assert whole is not None
        shape = plan.own_shape("shape", str(whole))
        return Fact("like", kind, shape, (Leaf(whole, shape),), 0, whole)
    if not isinstance(atom, Var) or plan.known(atom).kind != "like":
        raise plan.refuse(f"{eqn.op} needs a saved shape")
    return plan.known(atom)
