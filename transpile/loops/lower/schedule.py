"""A plan as the statements of a kernel: passes gathered into lists."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Block
from ...passes.kernel.types import stored
from ...passes.simplify.simplify import remove_dead
from ..expressions import Ask, Braces, Expression, Infix, ask, call, node, rank
from ..passes import STAGES, optimized
from ..runtime import may_come_before, only_describes
from ..statements import (
    Do,
    FlatLoop,
    For,
    If,
    KernelProgram,
    NewList,
    Passes,
    Return,
    RunPasses,
    Scope,
    Statement,
    Variable,
)
from .equations import planned
from .flat import UNLIKELY, alone, flat_call, flat_of, is_loop_of
from .kernel import Guess, Kernel, PlainResult
from .phases import Control
from .plan import Plan
from .stages import StageLoop


def program_of(kernel: Kernel, last: str = STAGES[-1], ways: bool = True) -> KernelProgram:
    """The program of a kernel, after all passes up to the `last`; before them for "kernel".

    With `ways`, it has others beside that for any shapes: for arrays of one shape, and for shapes as they
    mostly are.
    """
    return optimized(_lowered(kernel, ways), last)


def _lowered(kernel: Kernel, ways: bool) -> KernelProgram:
    """The program of a kernel, as it is planned."""
    plan = _finished(kernel)
    index = _index_of(plan)
    flat = flat_of(kernel, index) if ways else None
    body = _statements(plan, index, flat)
    guess = kernel.guess if ways and flat is None else None
    likely = None
    if guess is not None:
        body = (If(questions(guess, kernel), (Return("likely"),)), UNLIKELY, *body)
        way = _finished(replace(kernel, inputs=guess.inputs, guess=None))
        likely = _statements(way, _index_of(way))
    return KernelProgram(
        kernel.name,
        kernel.title,
        "".join(entry.code for entry in kernel.inputs if not entry.is_number),
        sum(entry.is_number for entry in kernel.inputs),
        len(kernel.outputs) + len(kernel.plain_results),
        body,
        flat,
        likely,
    )


def _finished(kernel: Kernel) -> Plan:
    """A kernel, planned, with the statements by which it says what is no array."""
    block, arrays = kernel.block, tuple(atom for _, atom in kernel.outputs)
    results = (*arrays, *(result.var for result in kernel.plain_results))
    live = Block(block.params, tuple(remove_dead(list(block.eqns), results)), results)
    plan = planned(replace(kernel, block=live))
    plan.finish()
    plan.closing += [
        Do(_value_output(plan, k, result)) for k, result in enumerate(kernel.plain_results, len(arrays))
    ]
    return plan


def _value_output(plan: Plan, k: int, result: PlainResult) -> Ask:
    """The call that gives the caller a result that is no array."""
    fact = plan.of(result.var)
    if result.kind in ("like", "shape"):
        return ask("output", k, fact.node, of=stored(fact.type))
    return ask("output_value", k, Braces((fact.node,), "double" if result.kind == "float" else "int64_t"))


def _index_of(plan: Plan) -> str:
    """The name of a loop's counter."""
    used = {var.name for var in plan.kernel.block.bound()}
    return next(name for name in ("i", "j", "k", "n", "at", "element") if name not in used)


def questions(guess: Guess, kernel: Kernel) -> tuple[Expression, ...]:
    """The questions whether shapes are as they mostly are."""
    position = {e.var: k for k, e in enumerate(e for e in kernel.inputs if not e.is_number)}
    found: list[Expression] = []
    for one in guess.likely:
        shape = ask("shape", position[one.var])
        if one.whole is None:
            found.append(Infix("==", rank(shape), node(0)))
            continue
        whole = ask("shape", position[one.whole])
        found.append(Infix("==", shape, whole) if one.alike else call("within", shape, whole))
    return tuple(found)


def _statements(
    plan: Plan, index: str, flat: FlatLoop | None = None, nested: bool = False
) -> tuple[Statement, ...]:
    """All phases in order; a lone loop needs no scope, and calls `flat` where that does the same."""
    several = len(plan.loops()) > 1
    found: list[Statement] = []
    listed: list[StageLoop] = []
    head = 0
    passes = ""

    def run() -> None:
        """Run the passes that are listed, and begin another list."""
        if listed:
            found.insert(head, Passes(passes, len(listed), sum(loop.operands for loop in listed)))
            found.append(RunPasses(passes, not nested and _is_whole(plan)))
            listed.clear()

    for level, phase in sorted(plan.phases.items()):
        if not all(map(may_come_before, phase.declarations)):
            run()
        found += phase.declarations
        if level == 0 and flat is not None and several and not plan.kernel.plain_results:
            found[plan.opening : plan.opening] = [alone(flat, plan), UNLIKELY]
        for stage in phase.stages.values():
            if not listed:
                head, passes = len(found), plan.names.fresh("passes")
            loop = StageLoop(
                stage,
                plan.names,
                lambda var, level=level: plan.at_level(var, level),  # type: ignore[misc]
                plan.order,
                index,
                by_rows=not plan.kernel.undefined,
            )
            space = loop.space(passes)
            if flat is not None and not several and is_loop_of(flat, space):
                space = replace(space, body=flat_call(flat, len(plan.kernel.inputs)))
            found.append(Scope((space,)) if several else space)
            listed.append(loop)
        if phase.calls:
            run()
        for statement in phase.calls:
            found += _controlled(statement, index) if isinstance(statement, Control) else [statement]
    run()
    return (*found, *plan.closing)


def _controlled(control: Control[Plan], index: str) -> list[Statement]:
    """A statement with blocks, and the declarations before it."""
    bodies = [_statements(plan, index, nested=True) for plan in control.plans]
    first, *more = [*control.before, *control.make(bodies)]
    assert isinstance(first, Variable | NewList | If | For)
    return [replace(first, span=control.span), *more]


def _is_whole(plan: Plan) -> bool:
    """True where the kernel is one loop, so that a caller may split it."""
    phases = plan.phases.values()
    moves = any(phase.calls for phase in phases) or not all(
        only_describes(statement) for phase in phases for statement in phase.declarations
    )
    (first, *more) = plan.loops()
    return not more and not first.reduces and not moves
