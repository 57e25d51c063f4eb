"""Kernels that are one loop over arrays of one shape in C order.

Small arrays, and those in the middle of a network, are of one shape more often
than not. Then sums to an operand's shape sum nothing, and a kernel is its loop:
`flat`, with a pointer per array and no shapes at all.
"""

from __future__ import annotations

from dataclasses import replace

from ...analysis.costs import SAME_ENTRIES
from ...ir import Block, Eqn, Var
from ...ir.types import Type, unknown_tensor
from ...passes.simplify.simplify import remove_dead
from ...passes.variants.zeros import NONE, Materialize, propagate_zeros
from ..expressions import Name, ask, shape
from ..statements import (
    Alike,
    FlatCall,
    FlatLoop,
    Guard,
    InSpace,
    Let,
    Passes,
    Read,
    Return,
    RunPasses,
    Space,
    Write,
)
from .equations import add_equation
from .kernel import Kernel
from .phases import Body
from .plan import Plan
from .scalars import POINTWISE
from .stages import StageLoop, Written

_SHAPE = frozenset[object]({"flat"})
# What comes after the way for shapes as they mostly are: a library may have no other.
UNLIKELY = Guard(ask("is_only_likely"), Return())
# What a kernel that is one pointwise loop may be made of.
ALLOWED = frozenset({*POINTWISE, *SAME_ENTRIES, "zeros_like", "ones_like", "full_like"})


def flat_call(flat: FlatLoop, count: int) -> FlatCall:
    """The call that does the work of a loop over rows, in a kernel with `count` inputs."""
    return FlatCall(flat.inputs, flat.outputs, count)


def alone(flat: FlatLoop, plan: Plan) -> Alike:
    """All of a kernel of several loops, where its arrays have one shape."""
    facts = [plan.known(entry.var) for entry in plan.kernel.inputs]
    shapes = tuple(fact.node if fact.kind == "like" else shape(fact.node) for fact in facts)
    passes = plan.names.fresh("alike")
    views = {name: plan.names.fresh(f"{name}_whole") for name, _ in flat.outputs}
    space = Space(
        passes,
        shapes[0],
        tuple(Read(name, "T", facts[k].node) for name, k in flat.inputs),
        tuple(Write(name, "T", Name(view)) for name, view in views.items()),
        flat_call(flat, len(facts)),
        flat.index,
    )
    outputs = [
        Let(views[name], ask("output", position, shapes[0], of="T")) for name, position in flat.outputs
    ]
    count = len(space.reads) + len(space.sinks)
    body: Body = (*outputs, Passes(passes, 1, count), space, RunPasses(passes), Return())
    return Alike(shapes, body)


def is_loop_of(flat: FlatLoop, space: Space) -> bool:
    """True where a pass does the same to each element."""
    reads = {read.name for read in space.reads}
    sinks = {sink.name for sink in space.sinks}
    same = reads == {name for name, _ in flat.inputs} and sinks == {name for name, _ in flat.outputs}
    return same and space.body == flat.body and _lines(space.body) == _lines(flat.body)


def _lines(body: FlatCall | tuple[InSpace, ...]) -> list[tuple[int, int]]:
    """The places where a body is shown to come from another line of the author's than before."""
    assert not isinstance(body, FlatCall)
    spans = [(k, statement.span.line) for k, statement in enumerate(body) if statement.span is not None]
    return [here for before, here in zip([(0, 0), *spans], spans, strict=False) if before[1] != here[1]]


def is_flat(kernel: Kernel) -> bool:
    """True where the kernel has its loop alone."""
    return flat_of(kernel, "i") is not None


def is_pointwise(kernel: Kernel) -> bool:
    """True where the kernel computes entry by entry, of masks too, and sums at most what was broadcast."""
    arrays = all(entry.role in ("tensor", "like") and not entry.optional for entry in kernel.inputs)
    return arrays and all(eqn.op in ALLOWED for eqn in kernel.block.eqns)


def flat_of(kernel: Kernel, index: str) -> FlatLoop | None:
    """The loop of a kernel that is one pointwise loop; None for any other. `index` names its counter."""
    block = _without_zeros(kernel)
    if block is None:
        return None
    arrays = tuple(block.results[position] for position, _ in kernel.outputs)
    same = tuple(
        Eqn(eqn.outs, "positive", eqn.args[:1], (), (), eqn.span) if eqn.op in SAME_ENTRIES else eqn
        for eqn in block.eqns
    )
    same = tuple(remove_dead(list(same), arrays))
    fits = all(
        (entry.role, entry.dtype) in (("tensor", "T"), ("like", "T")) and not entry.optional
        for entry in kernel.inputs
    ) and all(eqn.op in ALLOWED and all(out.kind == "tensor" for out in eqn.outs) for eqn in same)
    if not fits or not arrays or len(set(arrays)) != len(arrays):
        return None
    inputs = tuple(replace(entry, shape=_SHAPE) for entry in kernel.inputs)
    plan = Plan(replace(kernel, inputs=inputs, block=Block(kernel.block.params, same, arrays)))
    for eqn in same:
        add_equation(plan, eqn)
    plan.finish()
    phases = plan.phases.values()
    stages = [(known, stage) for phase in phases for known, stage in phase.stages.items()]
    if [known for known, _ in stages] != [_SHAPE] or any(phase.calls for phase in phases):
        return None
    ((_, stage),) = stages
    stores = [sink for sink in stage.sinks if isinstance(sink, Written) and sink.type == "T"]
    if len(stores) != len(arrays) or len(stage.sinks) != len(arrays):
        return None
    loop = StageLoop(stage, plan.names, lambda var: plan.at_level(var, 0), plan.order, index)
    positions = {entry.var: k for k, entry in enumerate(kernel.inputs)}
    return FlatLoop(
        tuple((plan.names.of(var), positions[var]) for var in loop.reads),
        tuple((sink.name, arrays.index(sink.value)) for sink in stores),
        tuple(loop.body()),
        index,
    )


def _without_zeros(kernel: Kernel) -> Block | None:
    """The kernel's block without the work of undefined gradients, which have the shape of all others.

    None where a result is such a zero, or something is done with one that is not linear.
    """
    block = kernel.block
    if all(eqn.op != "broadcast_like" or isinstance(eqn.args[0], Var) for eqn in block.eqns):
        return block
    known = dict[Var, Type].fromkeys(block.params, unknown_tensor("flat"))
    try:
        left = propagate_zeros(block, (), known, frozenset())
    except Materialize:
        return None
    return None if NONE in left.results else left
