"""Pointwise equations into a plan: lanes, which have no memory of their own."""

from __future__ import annotations

from ....ir import Atom, Eqn, Literal, Var
from ....passes.kernel.types import OF_DTYPES, stored
from ...expressions import run, size
from .. import shape_sets
from ..facts import Fact, Leaf
from ..kernel import ShapeSet
from ..plan import Plan, literal_of
from ..scalars import FROM_SCIPY, kinds_of, lane, refusal, result_type
from ..stages import SHORT

# Attributes of an operator that are numbers of its formula: which derivative, and of which order.
_NUMBERS = ("n", "order")


def add_pointwise(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An operator of one element at a time."""
    args = list(eqn.args)
    if eqn.op == "clip":
        bounds = [eqn.kwarg(name) or Literal(None) for name in ("a_min", "a_max")]
        args = [*args, *bounds[len(args) - 1 :]]
    args += [atom for name, atom in eqn.kwargs if name in _NUMBERS]
    kinds = kinds_of(eqn.op)
    if kinds:
        kind = literal_of(eqn, "kind", None)
        if kind not in kinds:
            raise plan.refuse(f"{eqn.op} of a kind that only a call knows is not compiled")
        args.append(Literal(kinds.index(kind)))
    if eqn.op in FROM_SCIPY:
        plan.begin_with(run("require_special"))
    facts = [plan.of(atom) for atom in args]
    allowed = ("lane", "array", "scalar", "number", *(("none",) if eqn.op == "clip" else ()))
    if any(fact.kind not in allowed for fact in facts):
        missing = any(fact.kind == "none" for fact in facts)
        raise plan.refuse(f"{eqn.op} of {'`None`' if missing else 'such operands'} is not compiled")
    types = [fact.type for fact in facts if fact.kind != "none"]
    if eqn.op == "astype":
        kind = cast_type(plan, eqn)
    else:
        why = refusal(eqn.op, types, facts[-1].literal if facts else None)
        if why:
            raise plan.refuse(why)
        kind = result_type(eqn.op, types)
    if eqn.op == "round" and literal_of(eqn, "decimals", 0) != 0:
        raise plan.refuse("round to decimals is not compiled", "write np.round(x * 10) / 10")
    add_lane(plan, out, Eqn(eqn.outs, eqn.op, tuple(args), (), (), eqn.span), kind, facts)


def add_lane(
    plan: Plan, out: Var, eqn: Eqn, kind: str, facts: list[Fact], extra: tuple[Leaf, ...] = ()
) -> None:
    """A value that each stage computes for itself; `extra` are shapes that it broadcasts to besides.

    One without axes is a variable of C++, in a kernel with loops.
    """
    if plan.has_no_axes(out) and _add_scalar(plan, out, eqn, kind):
        return
    shape = shape_sets.join([*(f.shape for f in facts), *(leaf.shape for leaf in extra)])
    operands = {atom: fact for atom, fact in zip(eqn.args, facts, strict=False) if isinstance(atom, Var)}
    level = max([0, *(fact.level for fact in facts), *(leaf.level for leaf in extra)])
    facts = [_operand(plan, atom, fact, shape, level) for atom, fact in operands.items()] or facts
    leaves = plan.few((*(leaf for fact in facts for leaf in fact.leaves), *extra))
    level = max([0, *(fact.level for fact in facts), *(leaf.level for leaf in extra)])
    plan.define(out, Fact("lane", stored(kind), shape, leaves, level, eqn=eqn))
    plan.cones.add(out)


def _add_scalar(plan: Plan, out: Var, eqn: Eqn, kind: str) -> bool:
    """Define a value without axes as a variable; False where an operand is none."""
    scalars = plan.scalars(eqn.args)
    if scalars is None:
        return False
    value = lane(eqn.op, scalars, kind)
    level = max((plan.of(atom).level for atom in eqn.args if isinstance(atom, Var)), default=0)
    once = plan.uses[out] == 1 and out not in plan.kernel.block.results
    if out.temp and once and size(value.node) <= SHORT:
        plan.define(out, Fact("scalar", stored(kind), level=level, known=value.to(stored(kind)).node))
    else:
        plan.define_scalar(out, plan.names.of(out), value.node, stored(kind), level)
    return True


def _operand(plan: Plan, atom: Var, fact: Fact, shape: ShapeSet, level: int) -> Fact:
    """The operand, as an array where it is better loaded than computed again for this shape and level.

    So is what is costly and the same for all elements of a row, and what many equations make.
    """
    if fact.kind != "lane":
        return fact
    once = shape != fact.shape and shape_sets.is_per_row(fact.shape) and plan.cones.is_costly(atom)
    return plan.array(atom) if once or (level > fact.level and plan.cones.is_large(atom)) else fact


def cast_to(plan: Plan, eqn: Eqn, out: Var, fact: Fact, like: Fact) -> None:
    """The operand in the type of `like`, broadcast to its shape."""
    positive = Eqn(eqn.outs, "positive", eqn.args[:1], (), (), eqn.span)
    add_lane(plan, out, positive, like.type, [fact], like.leaves)


def add_filled(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An array of one number, in the shape and type of another."""
    fact = plan.of(eqn.args[0])
    value: Atom = Literal({"zeros_like": 0, "ones_like": 1}.get(eqn.op))
    if eqn.op == "full_like":
        value = eqn.kwarg("fill_value") or eqn.args[1]
    positive = Eqn(eqn.outs, "positive", (value,), (), (), eqn.span)
    filler = plan.of(value)
    if filler.kind not in ("number", "scalar", "lane", "array"):
        raise plan.refuse("full_like of such a value is not compiled")
    add_lane(plan, out, positive, fact.type, [filler], fact.leaves)


def cast_type(plan: Plan, eqn: Eqn) -> str:
    """The type that an equation's dtype names."""
    dtype = literal_of(eqn, "dtype")
    return plan.known(dtype).type if isinstance(dtype, Var) else dtype_of(plan, dtype)


def dtype_of(plan: Plan, dtype: object) -> str:
    """The type of a dtype, or of its name. Refuses one that is not compiled."""
    name = str(getattr(dtype, "__name__", dtype))
    if name not in OF_DTYPES:
        raise plan.refuse(f"a cast to {name} is not compiled")
    return OF_DTYPES[name]


def add_of_shape(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An array of one number, of a shape."""
    shape_atom = eqn.kwarg("shape")
    whole = plan.values.shape(shape_atom)
    if whole is None:
        raise plan.refuse(f"{eqn.op} of such a shape is not compiled")
    value = eqn.kwarg("fill_value") or Literal({"zeros": 0, "ones": 1}.get(eqn.op))
    filler = plan.of(value)
    if filler.kind not in ("number", "scalar"):
        raise plan.refuse(f"{eqn.op} of such a value is not compiled")
    own = stored(filler.type) if eqn.op == "full" else "double"
    kind = own if literal_of(eqn, "dtype") is None else cast_type(plan, eqn)
    positive = Eqn(eqn.outs, "positive", (value,), (), (), eqn.span)
    owner = plan.of(shape_atom).shape if isinstance(shape_atom, Var) else frozenset[object]()
    shape = owner or plan.own_shape("shape", str(whole))
    level = plan.of(shape_atom).level if isinstance(shape_atom, Var) else 0
    add_lane(plan, out, positive, kind, [filler], (Leaf(whole, shape, level),))
