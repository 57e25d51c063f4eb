"""Branches, loops and `raise` into a plan: statements around plans of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...diagnostics import FormulaError
from ...ir import Atom, Block, Eqn, Literal, Var
from ...passes.kernel.types import join, stored
from ..expressions import (
    NO_SHAPE,
    Element,
    Expression,
    Infix,
    Method,
    Name,
    New,
    Prefix,
    Text,
    ViewOf,
    ask,
    names,
    node,
    read_only,
    run,
)
from ..statements import Assign, Do, For, Guard, If, Let, NewList, Statement, Variable
from .facts import Fact, Leaf
from .merge import merge
from .names import derived
from .operators.lists import NO_ARRAYS, is_empty, listed, of_arrays, type_of
from .phases import Body, Control
from .plan import Plan
from .scalars import Scalar, truth

Enter = Callable[[Plan, Eqn], None]


def add_raise(plan: Plan, eqn: Eqn) -> None:
    """The author's error: the kernel refuses with its message, and the formula's Python raises it."""
    said = eqn.args[0] if eqn.args else Literal("")
    text = said.value if isinstance(said, Literal) else plan.of(said).literal
    level = max((plan.of(atom).level for atom in eqn.args), default=0)
    plan.call(level, run("raise", Text(str(text or "an error of the formula"))))


def add_branch(plan: Plan, eqn: Eqn, enter: Enter) -> None:
    """An `if`: each side computes its values, which are there under one name after it."""
    decided = plan.values.scalar(eqn.args[0])
    if decided is not None and decided.literal is not None:
        _add_side(plan, eqn, eqn.blocks[0 if decided.literal else 1], enter)
        return
    condition, is_data, level = _condition(plan, eqn.args[0])
    for block in eqn.blocks:
        level = max([level, *(bring(plan, var) for var in block.free())])
    control = Control[Plan](eqn.span)
    children = []
    for block in eqn.blocks:
        child = plan.inside(block, plan.names)
        for inner in block.eqns:
            enter(child, inner)
        children.append(child)
    for k, out in enumerate(eqn.outs):
        merge(
            plan, out, [(child, child.kernel.block.results[k]) for child in children], control.before, level
        )
    plan.missing |= {out for out in eqn.outs if plan.of(out).element == "maybe"}
    first, second = children
    for child in children:
        child.settle()
    empty = not second.phases and not second.closing
    control.plans = [first] if empty else [first, second]

    def make(bodies: Sequence[Body]) -> Sequence[Statement]:
        if not is_data:
            return [If((condition,), bodies[0], bodies[1] if len(bodies) > 1 else None)]
        # While shapes are worked out nobody knows the elements: both sides are, one after the other. A side
        # that ends a loop comes first, so that the loop goes on.
        tests = [condition, Prefix("!", condition)]
        both = [If((Infix("||", ask("dry"), test),), body) for test, body in zip(tests, bodies, strict=False)]
        return both[::-1] if _ends(eqn.blocks[1]) and not _ends(eqn.blocks[0]) else both

    control.make = make
    plan.control(level, control)


def _ends(block: Block) -> bool:
    """True where the block leaves a number that is not zero, as that of a way out of a loop."""
    return any(
        isinstance(atom, Literal) and isinstance(atom.value, int) and atom.value for atom in block.results
    )


def _add_side(plan: Plan, eqn: Eqn, block: Block, enter: Enter) -> None:
    """The one side that is ever taken, as by a dtype, in place of both."""
    for inner in block.eqns:
        enter(plan, inner)
    for out, atom in zip(eqn.outs, block.results, strict=True):
        plan.define(out, plan.array(atom) if plan.of(atom).kind == "lane" else plan.of(atom))


def _condition(plan: Plan, atom: Atom) -> tuple[Expression, bool, int]:
    """The condition, whether it is on an element, and its level."""
    scalar = plan.values.scalar(atom)
    if scalar is not None:
        return scalar.node, False, plan.of(atom).level
    if (found := plan.scalars([atom])) is not None:
        return truth(found[0]).node, True, plan.of(atom).level
    fact = plan.array(atom)
    name = plan.names.fresh("holds")
    plan.let(fact.level, name, run("holds", fact.node), "bool")
    return Name(name), True, fact.level


def bring(plan: Plan, atom: Atom) -> int:
    """Have a value in memory before a statement with blocks; its level then."""
    if not isinstance(atom, Var):
        return 0
    fact = plan.of(atom)
    if fact.kind == "lane":
        fact = plan.array(atom)
    if plan.has_no_axes(atom) and plan.scalar(atom) is not None:
        return plan.of(atom).level
    array = plan.array_at(atom)
    return max([(array or fact).level, *(bring(plan, item) for item in fact.items)])


def add_loop(plan: Plan, eqn: Eqn, enter: Enter) -> None:
    """A `for`: carried values are variables of C++, what is collected of each iteration is a list."""
    (body,) = eqn.blocks
    carried = zip(body.params[1:], eqn.args[1:], strict=True)
    eqn = replace(eqn, args=(eqn.args[0], *(_to_grow(plan, *each) for each in carried)))
    over, start = eqn.args[0], eqn.args[1:]
    if isinstance(over, Var) and over.kind == "list" and is_empty(plan, over):
        _no_iterations(plan, eqn)
        return
    level = max([bring(plan, over), *(bring(plan, a) for a in start), *(bring(plan, v) for v in body.free())])
    facts = [_left(plan, atom) for atom in start]
    level = max([level, *(fact.level for fact in facts if fact.kind == "collected")])
    read = (*eqn.args, *body.free())
    asked = (eqn.outs, *(_form(plan, atom) for atom in read), *(atom in plan.missing for atom in read))
    # A loop in a loop is met once more for each trial of that one, and tried where that says more of it.
    after = plan.settled.get(asked)
    if after is None:
        after = plan.settled[asked] = _after(plan, eqn, facts, enter)
    held = [_carried(plan, *each) for each in zip(body.params[1:], facts, after, strict=True)]
    for atom, before, fact in zip(start, facts, held, strict=True):
        made = fact.kind == "array" and before.kind in ("lane", "array", "scalar")
        if made and (before.kind, before.type) != (fact.kind, fact.type):
            level = max(level, plan.array_of(atom, fact.type).level)
    _write_loop(plan, eqn, list(body.params[1:]), held, level, enter)


def _to_grow(plan: Plan, param: Var, start: Atom) -> Atom:
    """The start of what a loop carries; a written list of numbers to which arrays come is one of arrays.

    They are of the type of the kernel, which runs for float64 alone: numbers of Python are of it there.
    """
    fact = plan.of(start)
    items = fact.eqn.args if fact.kind == "index" and fact.eqn is not None else ()
    if param.kind != "list" or not items or any(plan.of(item).kind != "number" for item in items):
        return start
    plan.are_one_float({"T", "double"})
    made = derived(f"{param.name}_to_grow", "list")
    plan.define(made, Fact("list", items=tuple(plan.cast(item, "T")[0] for item in items)))
    return made


def _form(plan: Plan, atom: Atom) -> tuple[object, ...]:
    """The part of a value that kinds and types of what is computed with it depend on."""
    fact = plan.of(atom)
    items = tuple(_form(plan, item) for item in fact.items)
    return fact.kind, fact.type, fact.element, fact.depth, repr(fact.literal), items


def _after(plan: Plan, eqn: Eqn, facts: Sequence[Fact], enter: Enter) -> list[Fact]:
    """The carried values as an iteration leaves them, once that is the form in which it is given them."""
    (body,) = eqn.blocks
    carried = body.params[1:]
    for _ in range(3):
        trial = plan.inside(body, plan.names.copy())
        trial.missing |= plan.missing
        try:
            _enter_iteration(plan, trial, eqn, carried, facts, "iteration", [], enter)
        except FormulaError:
            # An iteration may read of an empty list what one before it has appended.
            started = [_of_arrays_to_come(*each) for each in zip(carried, facts, strict=True)]
            if started == facts:
                raise
            facts = started
            continue
        found = [_left(trial, atom) for atom in body.results[: len(carried)]]
        after = [_carried(plan, *each) for each in zip(carried, facts, found, strict=True)]
        if after == facts:
            return found
        facts = after
    raise plan.refuse(
        "a value that a loop carries has another dtype in each iteration, which is not compiled"
    )


def _of_arrays_to_come(param: Var, fact: Fact) -> Fact:
    empty = fact.kind in ("list", "index") and not fact.items and fact.known is None
    return NO_ARRAYS if param.kind == "list" and empty else fact


def _no_iterations(plan: Plan, eqn: Eqn) -> None:
    """A loop over an empty list: carried values stay what they are, and nothing is collected."""
    start = eqn.args[1:]
    for out, atom in zip(eqn.outs, start, strict=False):
        plan.define(out, _at_end(plan, atom) if plan.of(atom).kind != "lane" else plan.array(atom))
    for out in eqn.outs[len(start) :]:
        plan.define(out, Fact("list"))


def _at_end(plan: Plan, atom: Atom) -> Fact:
    """A value as an iteration leaves it to the next one."""
    fact = plan.of(atom)
    written = fact.kind == "list" or (fact.kind == "index" and fact.eqn is not None and fact.eqn.op == "list")
    return listed(plan, atom) if written and not is_empty(plan, atom) else fact


def _left(plan: Plan, atom: Atom) -> Fact:
    """A value as a loop carries it: a list of values without axes as one of arrays, to which others come."""
    fact = _at_end(plan, atom)
    return of_arrays(plan, fact) if fact.kind == "collected" else fact


def _carried(plan: Plan, var: Var, before: Fact, after: Fact) -> Fact:
    """The form in which a loop holds a value: as before it, or an array where an iteration makes it one."""
    if "maybe" in (before.element, after.element) and "array" in (before.kind, after.kind):
        raise plan.refuse(f"a loop carries {var}, which may be None, which is not compiled")
    if before.kind == "number" and after.kind == "number":
        kind = join([before.type, after.type])
        return (
            before
            if kind == before.type
            else Fact("number", kind, known=before.known, literal=before.literal)
        )
    arrays = ("lane", "array")
    if var.kind == "value" and {before.kind, after.kind} <= {"number", "scalar"}:
        kind = join([before.type, after.type])
        return Fact("scalar", kind, known=before.known, literal=before.literal)
    if plan.has_no_axes(var) and {before.kind, after.kind} <= {"number", "scalar", *arrays}:
        return _carried_scalar(plan, var, before, after)
    if before.kind == "number" and before.type.startswith("weak") and after.kind in arrays:
        return Fact(
            "array", after.type, eqn=Eqn((var,), "start", (Literal(before.literal),)), known=before.known
        )
    kinds = {before.kind, after.kind}
    if kinds <= {"scalar", *arrays}:
        if before.type == after.type:
            return before if "scalar" not in kinds else Fact("array", before.type, known=before.known)
        if plan.are_one_float({before.type, after.type}):
            return Fact("array", "double", known=before.known)
    if before.kind == after.kind and before.kind in ("like", "shape") and before.type == after.type:
        return before
    if before.kind == after.kind == "collected" and type_of(before) == type_of(after):
        return before
    if before.kind in ("list", "index") and not before.items and after.kind == "collected":
        return replace(after, level=0, known=New(type_of(after)))
    raise plan.refuse(f"{var} changes its kind or its dtype in a loop, which is not compiled")


def _carried_scalar(plan: Plan, var: Var, before: Fact, after: Fact) -> Fact:
    """The form of a value without axes, of which one may be a number of Python's in the text."""
    kind = stored(join([before.type, after.type]))
    strong = {fact.type for fact in (before, after) if not fact.type.startswith("weak")}
    if strong != {kind} and not plan.are_one_float(strong):
        raise plan.refuse(f"{var} changes its dtype in a loop, which is not compiled")
    return Fact("scalar", kind, known=before.known, literal=before.literal)


def _enter_iteration(
    plan: Plan,
    child: Plan,
    eqn: Eqn,
    carried: Sequence[Var],
    facts: Sequence[Fact],
    iteration: str,
    names: Sequence[str],
    enter: Enter,
) -> None:
    """The equations of an iteration, in which the parameters are what `facts` and the list say."""
    (body,) = eqn.blocks
    item, over = body.params[0], eqn.args[0]
    number = Fact("number", "weak int", known=Name(iteration))
    if isinstance(over, Var) and over.kind == "list":
        index = derived("iteration", "value")
        child.define(index, number)
        if item in Block((), body.eqns, body.results).free():
            enter(child, Eqn((item,), "item", (over, index), span=eqn.span))
    else:
        child.define(item, number)
    for k, (var, fact) in enumerate(zip(carried, facts, strict=True)):
        name = names[k] if names else f"carried_{k}"
        if fact.kind in ("lane", "array"):
            child.array_fact(var, Name(name), fact.type, plan.own_shape("carried", name), 0)
        elif fact.kind == "number":
            child.define(var, Fact("number", fact.type, known=Name(name), large=True))
        elif fact.kind == "scalar":
            child.define(var, Fact("scalar", fact.type, known=Name(name)))
        elif fact.kind == "collected":
            child.define(var, replace(fact, level=0, known=Name(name)))
        elif fact.kind in ("list", "index"):
            child.define(var, fact)
        else:
            token = plan.own_shape("carried", name)
            child.define(var, Fact(fact.kind, fact.type, token, (Leaf(Name(name), token),), 0, Name(name)))
    for inner in body.eqns:
        enter(child, inner)


def _write_loop(
    plan: Plan, eqn: Eqn, carried: Sequence[Var], facts: Sequence[Fact], level: int, enter: Enter
) -> None:
    (body,) = eqn.blocks
    over, start = eqn.args[0], eqn.args[1:]
    control = Control[Plan](eqn.span)
    iterations = plan.iterations_of(over)
    asked = iterations
    if ends_by_elements(eqn):
        most = plan.names.fresh("most_iterations")
        plan.let(level, most, run("may_end_early", iterations), "int64_t")
        iterations = Name(most)
    iteration = _counter_name(plan, body.params[0])
    held = [_declared(plan, control, *one) for one in zip(carried, facts, start, strict=True)]
    child = plan.inside(body, plan.names)
    child.missing |= plan.missing
    _enter_iteration(plan, child, eqn, carried, facts, iteration, held, enter)
    collected = eqn.outs[len(carried) :]
    for out, atom in zip(collected, body.results[len(carried) :], strict=True):
        _collect(plan, child, out, atom, control, iterations, iteration, level)
    _carry_on(child, body, facts, held)
    child.settle()
    go_on: Expression | None = None
    if eqn.kwarg("until") is not None:
        if iterations != asked:
            all_run = Infix("||", Infix("==", iterations, asked), ask("dry"))
            ended = Infix("||", all_run, Infix("!=", Name(held[0]), node(0)))
            plan.require(level + 1, ended, "more iterations than there is room for")
        go_on = Infix("==", Name(held[0]), node(0))
        so_far = Infix("+", Name(iteration), node(1))
        for out in collected:
            if (made := plan.of(out).known) is not None:
                child.closing.append(Guard(Name(held[0]), Do(Method(made, "truncate", (so_far,)))))
    reverse = eqn.kwarg("reverse") is not None
    control.plans = [child]
    lists = [plan.of(out) for out in collected]
    left = {fact.kind for fact in facts} | {fact.element for fact in lists if fact.literal is None}
    entries = go_on is None and left <= {"lane", "array", "scalar"}
    control.make = lambda bodies: [For(iteration, iterations, bodies[0], reverse, go_on, entries)]
    plan.control(level, control)
    for out, fact, name, atom in zip(eqn.outs, facts, held, start, strict=False):
        is_read = out in plan.output_of or out in plan.uses
        if is_read and fact.kind in ("lane", "array", "scalar") and plan.of(atom).kind == "number":
            plan.require(level, Infix(">", iterations, node(0)), "a loop without iterations leaves a number")
        _define_left(plan, out, fact, name, level + 1)


def ends_by_elements(eqn: Eqn) -> bool:
    """True for a loop that elements of an array may end, and for what has one in a block."""
    early = eqn.kwarg("until") is not None and any(map(_decides_by_elements, eqn.blocks[0].eqns))
    return early or any(ends_by_elements(inner) for block in eqn.blocks for inner in block.eqns)


def _decides_by_elements(eqn: Eqn) -> bool:
    by_elements = eqn.op == "if" and isinstance(eqn.args[0], Var) and eqn.args[0].kind == "tensor"
    return by_elements or any(_decides_by_elements(inner) for block in eqn.blocks for inner in block.eqns)


def _counter_name(plan: Plan, item: Var) -> str:
    """The C++ name of the iteration's number: the author's, where the loop is over numbers."""
    named = item.kind == "value" and not item.name.startswith("_")
    return plan.names.of(item) if named else plan.names.fresh("iteration")


def _declared(plan: Plan, control: Control[Plan], var: Var, fact: Fact, start: Atom) -> str:
    """The name of a carried value, which is declared before the loop."""
    own = plan.names.of(var)
    if fact.kind in ("lane", "array"):
        own = plan.names.fresh(f"{own}_view")
        begin = _start(plan, start, fact)
        control.before.append(Variable(own, ViewOf(stored(fact.type)), begin))
    elif fact.kind in ("number", "scalar"):
        scalar = plan.scalar(start)
        assert scalar is not None
        control.before.append(Variable(own, stored(fact.type), scalar.to(fact.type).node))
    else:
        kind = type_of(fact) if fact.kind == "collected" else "Shape"
        control.before.append(Variable(own, kind, fact.known))
    return own


def _define_left(plan: Plan, out: Var, fact: Fact, name: str, level: int) -> None:
    """Define what a loop leaves in the carried value of this name."""
    if fact.kind in ("lane", "array"):
        plan.array_fact(out, Name(name), fact.type, plan.own_shape("loop", name), level)
    elif fact.kind == "number":
        plan.define(out, Fact("number", fact.type, level=level, known=Name(name), large=True))
    elif fact.kind == "scalar":
        plan.define(out, Fact("scalar", fact.type, level=level, known=Name(name)))
    elif fact.kind == "collected":
        plan.define(out, replace(fact, level=level, known=Name(name)))
    else:
        token = plan.own_shape("loop", name)
        leaves = (Leaf(Name(name), token, level),)
        plan.define(out, Fact(fact.kind, fact.type, token, leaves, level, Name(name)))


def _start(plan: Plan, atom: Atom, fact: Fact) -> Expression:
    before = plan.of(atom)
    if before.kind == "number":
        scalar = plan.values.scalar(atom)
        assert scalar is not None
        return run("constant", scalar.to(stored(fact.type)).node, of=stored(fact.type))
    return read_only(plan.array_of(atom, stored(fact.type)).node)


def _carry_on(child: Plan, body: Block, facts: Sequence[Fact], held: Sequence[str]) -> None:
    """The end of an iteration: the carried values are those of the next."""
    moves: list[tuple[str, Expression, Expression]] = []
    for atom, fact, name in zip(body.results, facts, held, strict=False):
        if fact.kind in ("lane", "array"):
            view = child.array_of(atom, stored(fact.type)).node
            moves.append((name, read_only(view), view))
        elif fact.kind in ("number", "scalar"):
            scalar = child.scalar(atom)
            assert scalar is not None
            moves.append((name, scalar.to(fact.type).node, scalar.node))
        else:
            value = _left(child, atom).node
            moves.append((name, value, value))
    early: list[Statement] = []
    late: list[Statement] = []
    for k, (name, value, source) in enumerate(moves):
        if source == Name(name):
            continue
        if not {other for other, _, _ in moves[:k]}.isdisjoint(names(value)):
            saved = child.names.fresh(f"next_{name}")
            early.append(Let(saved, value))
            value = Name(saved)
        late.append(Assign(Name(name), value))
    child.closing += [*early, *late]


def _collect(
    plan: Plan,
    child: Plan,
    out: Var,
    atom: Atom,
    control: Control[Plan],
    iterations: Expression,
    iteration: str,
    level: int,
) -> None:
    """A list with a value of each iteration."""
    fact = _at_end(child, atom)
    if child.has_no_axes(atom) and (scalar := child.scalar(atom)) is not None:
        fact = child.of(atom)
    name = plan.names.of(out)
    made = Fact("collected", fact.type, level=level + 1, known=Name(name), element=fact.kind)
    if fact.kind in ("lane", "array"):
        value: Expression = read_only(child.array(atom).node)
        made = replace(made, element="array")
    elif fact.kind in ("like", "shape"):
        value = fact.node
        if fact.kind == "like" and value == NO_SHAPE:
            made = replace(made, literal=())  # which a backward need not be told
    elif fact.kind in ("number", "scalar"):
        # One that may be None is collected as what stands for it, as arrays are: nobody reads it.
        scalar = Scalar(fact.node, fact.type) if fact.kind == "scalar" else child.scalar(atom)
        if scalar is None:
            raise plan.refuse(f"a list of what may be None as {out} is not compiled")
        value = scalar.to(fact.type).node
        if out.kind == "value":
            made = replace(made, element="number")
    elif fact.kind == "collected" and fact.known is not None:
        value = fact.node
        made = replace(fact, level=level + 1, known=Name(name), depth=fact.depth + 1)
    elif fact.kind == "index" and (item := child.values.index_item(atom)) is not None:
        value = item
        made = replace(made, type="T")
    elif fact.kind in ("none", "collected"):  # a list of such lists is one of nothing too
        plan.define(out, Fact("collected", "none", level=level + 1, element="none"))
        return
    else:
        raise plan.refuse(f"a list of such values as {out} is not compiled")
    control.before.append(NewList(name, type_of(made), iterations))
    child.closing.append(Assign(Element(Name(name), Name(iteration)), value))
    plan.define(out, made)
