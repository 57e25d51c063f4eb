"""Equations into a plan: which function takes which operator, and choices by a condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...ir import Eqn, Literal, Var
from ...operators import OPERATORS, instead_of
from ...passes.kernel.types import join, stored
from ..expressions import (
    CONTEXT,
    NO_SHAPE,
    Ask,
    Braces,
    Call,
    Expression,
    Member,
    Method,
    Name,
    Number,
    every,
)
from .control import add_branch, add_loop, add_raise
from .facts import Fact
from .kernel import Kernel
from .operators.arrangements import (
    add_array,
    add_collected,
    add_item,
    add_joined,
    add_list,
    add_moved,
    add_put,
    add_split,
    add_unslice,
    add_view,
)
from .operators.calls import CALLS
from .operators.decompositions import add_decomposition, decomposes
from .operators.entries import add_entry
from .operators.lists import add_collected_list, add_packed, add_unpacked, is_collected
from .operators.picks import PICKS, add_pick, picks
from .operators.pointwise import add_filled, add_of_shape, add_pointwise
from .operators.products import add_matmul
from .operators.reductions import (
    REDUCTIONS,
    add_accumulate,
    add_broadcast_like,
    add_expect_like,
    add_gradient_like,
    add_in_place,
    add_reduction,
    add_sum_to,
)
from .operators.solvers import SOLVERS
from .operators.views import VIEWS
from .plan import Plan, literal_of
from .scalars import POINTWISE, lane
from .values import CONVERSIONS, SYMBOLS, VALUE_OPS


def add_equation(plan: Plan, eqn: Eqn) -> None:
    """Enter an equation into the plan. Raises FormulaError for what is not compiled."""
    plan.enter(eqn)
    absent = [atom for atom in eqn.args if atom in plan.missing] if eqn.op in _COMPUTING else []
    if absent and not _compares_integers(plan, eqn):
        raise plan.refuse(f"`{absent[0]}` may be None here, where a number or an array is needed")
    if eqn.op == "raise":
        add_raise(plan, eqn)
        return
    if eqn.op == "for":
        add_loop(plan, eqn, add_equation)
        return
    if eqn.op == "if" and not _is_choice(plan, eqn):
        add_branch(plan, eqn, add_equation)
        return
    if len(eqn.outs) != 1:
        raise plan.refuse(f"{eqn.op} is not compiled")
    (out,) = eqn.outs
    if is_collected(plan, eqn):
        add_collected_list(plan, eqn, out)
    elif eqn.op == "unpacked":
        add_unpacked(plan, eqn, out)
    elif add_entry(plan, eqn, out):
        return
    elif picks(plan, eqn):
        add_pick(plan, eqn, out)
    elif eqn.op == "item" and out.kind == "tensor":
        add_item(plan, eqn, out)
    elif out.kind == "value" or eqn.op in VALUE_OPS or _is_of_numbers(plan, eqn):
        _value(plan, eqn, out)
    elif eqn.op == "accumulate":
        add_accumulate(plan, eqn, out)
    elif eqn.op in POINTWISE:
        add_pointwise(plan, eqn, out)
    elif eqn.op in REDUCTIONS:
        add_reduction(plan, eqn, out)
    elif eqn.op in VIEWS:
        add_view(plan, eqn, out)
    elif eqn.op in _OTHER:
        _OTHER[eqn.op](plan, eqn, out)
    elif decomposes(eqn):
        add_decomposition(plan, eqn, out)
    elif eqn.op == "opaque":
        callee = literal_of(eqn, "callee")
        instead = instead_of(str(callee))
        modes = [atom.value for atom in eqn.args if isinstance(atom, Literal) and isinstance(atom.value, str)]
        if modes:
            raise plan.refuse(
                f"`{callee}` by {modes[0]!r} is not compiled", f"write {instead}" if instead else ""
            )
        raise plan.refuse(
            f"`{callee}` is not in the vocabulary, and what is not there is not compiled",
            f"write {instead}" if instead else "",
        )
    else:
        raise plan.refuse(f"{eqn.op} is not compiled")


def planned(kernel: Kernel) -> Plan:
    """The plan of the kernel's equations, before its results are written."""
    plan = Plan(kernel)
    for eqn in kernel.block.eqns:
        add_equation(plan, eqn)
    return plan


def _is_of_numbers(plan: Plan, eqn: Eqn) -> bool:
    """True where Python's own arithmetic is all there is to it: its numbers do not widen what they meet."""
    operator = OPERATORS.get(eqn.op)
    numbers = all(plan.pending(atom) is None and plan.of(atom).kind == "number" for atom in eqn.args)
    return operator is not None and bool(operator.infix) and numbers and eqn.outs[0] not in plan.output_of


def _compares_integers(plan: Plan, eqn: Eqn) -> bool:
    """True for `k == 1`: an integer that is None has a value of its own, which equals no other."""
    facts = [plan.of(atom) for atom in eqn.args]
    integers = all(fact.kind == "number" and stored(fact.type) == "int64_t" for fact in facts)
    return eqn.op in ("equal", "not_equal") and integers


def _value(plan: Plan, eqn: Eqn, out: Var, apart: bool = True) -> None:
    """A number, a shape or an index; one that is not set `apart` is evaluated where it is needed alone."""
    if _reads_entries(plan, eqn) and _of_entries(plan, eqn, out):
        return
    fact = _chosen_value(plan, eqn) if eqn.op == "if" else plan.values.compute(eqn)
    if fact is None:
        name = f"`{literal_of(eqn, 'callee')}`" if eqn.op == "opaque" else eqn.op
        raise plan.refuse(f"{name} of these values is not compiled")
    inside = [var for block in eqn.blocks for var in block.free()]
    level = max((plan.of(atom).level for atom in (*eqn.args, *inside)), default=0)
    named = fact.kind == "number" and fact.literal is None and (not out.temp or _reads_memory(fact.node))
    named = named and apart
    made_up = isinstance(fact.known, Braces | Call) and fact.known != NO_SHAPE
    if named or (fact.kind in ("like", "shape") and made_up):
        name = plan.names.of(out)
        plan.let(level, name, fact.node, stored(fact.type) if fact.kind == "number" else "Shape")
        made = plan.own_shape(eqn.op, name) if fact.kind == "shape" and not fact.leaves else fact.shape
        fact = Fact(fact.kind, fact.type, made, fact.leaves, level, Name(name), large=fact.large)
    plan.define(out, replace(fact, level=level, eqn=eqn))


def _reads_entries(plan: Plan, eqn: Eqn) -> bool:
    """True for `int(np.sum(mask))`, and for what is computed of it: no shape follows from that."""
    if eqn.op in CONVERSIONS and len(eqn.args) == 1:
        return plan.has_no_axes(eqn.args[0]) or plan.of(eqn.args[0]).kind == "scalar"
    computes = eqn.op in SYMBOLS or eqn.op == "not_"
    return computes and any(plan.of(atom).kind == "scalar" for atom in eqn.args)


def _of_entries(plan: Plan, eqn: Eqn, out: Var) -> bool:
    """Define a number that Python makes of values without axes; False where there is none in C++."""
    operands = plan.scalars(eqn.args)
    fact = None if operands is None else plan.values.of_scalars(eqn, operands)
    if fact is None or fact.kind != "number":
        return False
    level = max(plan.of(atom).level for atom in eqn.args if isinstance(atom, Var))
    plan.define_scalar(out, plan.names.of(out), fact.node, fact.type, level)
    return True


def _reads_memory(number: Expression) -> bool:
    """True where it is named: a loop captures numbers, not the views that they are read from."""
    return any(
        isinstance(part, Ask | Member | Method)
        or part == CONTEXT
        or (isinstance(part, Number) and part.type not in ("int64_t", "bool"))
        for part in every(number)
    )


def _is_choice(plan: Plan, eqn: Eqn) -> bool:
    """True where an `if` on numbers only picks one, which C++ writes as a conditional expression."""
    if plan.of(eqn.args[0]).kind != "number":
        return False
    numbers = ("add", "subtract", "multiply", "floor_divide", "item", "len", "size", "ndim", "negative")
    return [out.kind for out in eqn.outs] == ["value"] and all(
        all(
            inner.op in numbers and inner.outs[0].temp and inner.outs[0].kind == "value"
            for inner in block.eqns
        )
        and all(isinstance(atom, Var) or isinstance(atom.value, (int, float)) for atom in block.results)
        for block in eqn.blocks
    )


def _chosen_value(plan: Plan, eqn: Eqn) -> Fact | None:
    """A number by a condition on numbers, of which C++ computes the side that is chosen."""
    condition = plan.values.scalar(eqn.args[0])
    sides = []
    chosen = eqn.blocks
    if condition is not None and condition.literal is not None:
        chosen = eqn.blocks[:1] if condition.literal else eqn.blocks[1:]
    for block in chosen:
        for inner in block.eqns:
            plan.enter(inner)
            _value(plan, inner, inner.outs[0], apart=False)
        sides.append(plan.values.scalar(block.results[0]))
    plan.enter(eqn)
    then, other = sides[0], sides[-1]
    if condition is None or then is None or other is None:
        return None
    if then is other:
        return Fact("number", then.type, known=then.node, literal=then.literal)
    kind = join([then.type, other.type])
    return Fact("number", kind, known=lane("where", [condition, then, other], kind).node)


_OTHER: dict[str, Callable[[Plan, Eqn, Var], None]] = {
    "sum_to": add_sum_to,
    "broadcast_like": add_broadcast_like,
    "expect_like": add_expect_like,
    "gradient_like": add_gradient_like,
    "in_place": add_in_place,
    "zeros_like": add_filled,
    "ones_like": add_filled,
    "full_like": add_filled,
    "zeros": add_of_shape,
    "ones": add_of_shape,
    "full": add_of_shape,
    "array": add_array,
    "matmul": add_matmul,
    "unslice": add_unslice,
    "index_put": add_put,
    "concatenate": add_joined,
    "stack": add_joined,
    "stacked": add_joined,
    "collect": add_collected,
    "split_like": add_split,
    "unstack_like": add_split,
    "flip": add_moved,
    "moveaxis": add_moved,
    "list": add_list,
    "packed": add_packed,
    "unpacked": add_unpacked,
    "collect_flat": add_collected_list,
    "appended": add_collected_list,
    "without_last": add_collected_list,
    "join_like": add_collected_list,
    **CALLS,
    **PICKS,
    **SOLVERS,
}

# What has no result for None. Gradients that are not there are added by operators of their own.
_COMPUTING = (POINTWISE | {*REDUCTIONS, *SOLVERS, *PICKS, "matmul", "index_put", "in_place"}) - {
    "stop_gradient"
}

# What an emitter's caller leaves uninlined.
PRIMITIVES = frozenset({*POINTWISE, *REDUCTIONS, *VIEWS, *_OTHER, *VALUE_OPS})
