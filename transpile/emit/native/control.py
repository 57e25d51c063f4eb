"""Branches, loops and `raise` into a plan: C++'s own, around plans of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ...ir import Atom, Block, Eqn, Literal, Var
from .facts import Fact, Leaf
from .lanes import CHOICE
from .names import derived
from .plan import Plan
from .sides import merge
from .turns import is_empty, listed, type_of
from .types import join, stored

Enter = Callable[[Plan, Eqn], None]


@dataclass(slots=True)
class Control:
    """A statement with blocks: declarations before it, then a header and a plan for each block."""

    before: list[str] = field(default_factory=list)
    sides: list[tuple[str, Plan]] = field(default_factory=list)


def add_raise(plan: Plan, eqn: Eqn) -> None:
    """The author's error: the kernel refuses with its message, and the formula's Python raises it."""
    said = eqn.args[0] if eqn.args else Literal("")
    text = said.value if isinstance(said, Literal) else plan.of(said).literal
    message = (
        str(text or "an error of the formula").replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    )
    level = max((plan.of(atom).level for atom in eqn.args), default=0)
    plan.call(level, f'pb::raise(context, "{message}");')


def add_branch(plan: Plan, eqn: Eqn, enter: Enter) -> None:
    """An `if`: each side computes its values, which are there under one name after it."""
    decided = plan.values.expr(eqn.args[0])
    if decided is not None and decided.literal is not None:
        _add_side(plan, eqn, eqn.blocks[0 if decided.literal else 1], enter)
        return
    condition, level = _condition(plan, eqn.args[0])
    for block in eqn.blocks:
        level = max([level, *(bring(plan, var) for var in block.free())])
    control = Control()
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
    first, second = children
    for child in children:
        child.settle()
    headers = [f"if ({condition}) {{", "} else {"]
    if condition.startswith("context.dry() || "):
        # While shapes are worked out nobody knows the elements: both sides are, one after the other.
        headers[1] = f"if (context.dry() || !({condition.removeprefix('context.dry() || ')})) {{"
    empty = not second.phases and not second.closing
    control.sides = [(headers[0], first)] if empty else [(headers[0], first), (headers[1], second)]
    plan.control(level, control)


def _add_side(plan: Plan, eqn: Eqn, block: Block, enter: Enter) -> None:
    """The one side that is ever taken, as by a dtype, in place of both."""
    for inner in block.eqns:
        enter(plan, inner)
    for out, atom in zip(eqn.outs, block.results, strict=True):
        plan.define(out, plan.array(atom) if plan.of(atom).kind == "lane" else plan.of(atom))


def _condition(plan: Plan, atom: Atom) -> tuple[str, int]:
    """The condition in C++, and its level. That on an element is not known while shapes are worked out."""
    expr = plan.values.expr(atom)
    if expr is not None:
        return expr.within(CHOICE), plan.of(atom).level
    fact = plan.array(atom)
    name = plan.names.fresh("holds")
    plan.declare(fact.level, f"const bool {name} = pb::holds(context, {fact.text});")
    return f"context.dry() || {name}", fact.level


def bring(plan: Plan, atom: Atom) -> int:
    """Have a value in memory before a statement with blocks; its level then."""
    if not isinstance(atom, Var):
        return 0
    fact = plan.of(atom)
    if fact.kind == "lane":
        fact = plan.array(atom)
    array = plan.array_at(atom)
    return max([(array or fact).level, *(bring(plan, item) for item in fact.items)])


def add_loop(plan: Plan, eqn: Eqn, enter: Enter) -> None:
    """A `for`: carried values are variables of C++, what is collected of each turn is a list."""
    (body,) = eqn.blocks
    over, start = eqn.args[0], eqn.args[1:]
    if isinstance(over, Var) and over.kind == "list" and is_empty(plan, over):
        _no_turns(plan, eqn)
        return
    level = max([bring(plan, over), *(bring(plan, a) for a in start), *(bring(plan, v) for v in body.free())])
    carried = list(body.params[1:])
    facts = [_at_end(plan, atom) for atom in start]
    level = max([level, *(fact.level for fact in facts if fact.kind == "turns")])
    for _ in range(3):
        trial = plan.inside(body, plan.names.copy())
        _enter_turn(plan, trial, eqn, carried, facts, "turn", [], enter)
        found = [_at_end(trial, atom) for atom in body.results[: len(carried)]]
        after = [
            _carried(plan, var, *pair)
            for var, pair in zip(carried, zip(facts, found, strict=True), strict=True)
        ]
        if after == facts:
            break
        facts = after
    else:
        raise plan.refuse("a value that a loop carries has another dtype in each turn, which is not compiled")
    _write_loop(plan, eqn, carried, facts, level, enter)


def _no_turns(plan: Plan, eqn: Eqn) -> None:
    """A loop over an empty list: carried values stay what they are, and nothing is collected."""
    start = eqn.args[1:]
    for out, atom in zip(eqn.outs, start, strict=False):
        plan.define(out, _at_end(plan, atom) if plan.of(atom).kind != "lane" else plan.array(atom))
    for out in eqn.outs[len(start) :]:
        plan.define(out, Fact("list"))


def _at_end(plan: Plan, atom: Atom) -> Fact:
    """A value as a turn leaves it to the next one."""
    fact = plan.of(atom)
    written = fact.kind == "list" or (fact.kind == "index" and fact.eqn is not None and fact.eqn.op == "list")
    return listed(plan, atom) if written and not is_empty(plan, atom) else fact


def _carried(plan: Plan, var: Var, before: Fact, after: Fact) -> Fact:
    """How a loop holds a value: as it was before, or as an array where a turn makes it one."""
    if "maybe" in (before.element, after.element) and "array" in (before.kind, after.kind):
        raise plan.refuse(f"a loop carries {var}, which may be None, which is not compiled")
    if before.kind == "number" and after.kind == "number":
        kind = join([before.type, after.type])
        return (
            before if kind == before.type else Fact("number", kind, text=before.text, literal=before.literal)
        )
    arrays = ("lane", "array")
    if before.kind == "number" and before.type.startswith("weak") and after.kind in arrays:
        return Fact(
            "array", after.type, eqn=Eqn((var,), "start", (Literal(before.literal),)), text=before.text
        )
    if before.kind in arrays and after.kind in arrays and before.type == after.type:
        return before
    if before.kind == after.kind and before.kind in ("like", "shape") and before.type == after.type:
        return before
    if before.kind == after.kind == "turns" and type_of(before) == type_of(after):
        return before
    if before.kind in ("list", "index") and not before.items and after.kind == "turns":
        return replace(after, level=0, text=f"{type_of(after)}()")
    raise plan.refuse(f"{var} changes its kind or its dtype in a loop, which is not compiled")


def _enter_turn(
    plan: Plan,
    child: Plan,
    eqn: Eqn,
    carried: Sequence[Var],
    facts: Sequence[Fact],
    turn: str,
    names: Sequence[str],
    enter: Enter,
) -> None:
    """The equations of a turn, in which the parameters are what `facts` and the list say."""
    (body,) = eqn.blocks
    item, over = body.params[0], eqn.args[0]
    number = Fact("number", "weak int", text=turn)
    if isinstance(over, Var) and over.kind == "list":
        index = derived("turn", "value")
        child.define(index, number)
        if item in Block((), body.eqns, body.results).free():
            enter(child, Eqn((item,), "item", (over, index), span=eqn.span))
    else:
        child.define(item, number)
    for k, (var, fact) in enumerate(zip(carried, facts, strict=True)):
        name = names[k] if names else f"carried_{k}"
        if fact.kind in ("lane", "array"):
            child.array_fact(var, name, fact.type, plan.own_shape("carried", name), 0)
        elif fact.kind == "number":
            child.define(var, Fact("number", fact.type, text=name))
        elif fact.kind == "turns":
            child.define(var, replace(fact, level=0, text=name))
        elif fact.kind in ("list", "index"):
            child.define(var, fact)
        else:
            token = plan.own_shape("carried", name)
            child.define(var, Fact(fact.kind, fact.type, token, (Leaf(name, token),), 0, name))
    for inner in body.eqns:
        enter(child, inner)


def _write_loop(
    plan: Plan, eqn: Eqn, carried: Sequence[Var], facts: Sequence[Fact], level: int, enter: Enter
) -> None:
    (body,) = eqn.blocks
    over, start = eqn.args[0], eqn.args[1:]
    control = Control()
    turns = plan.turns_of(over)
    turn = _turn_name(plan, body.params[0])
    names = [_declared(plan, control, *held) for held in zip(carried, facts, start, strict=True)]
    child = plan.inside(body, plan.names)
    _enter_turn(plan, child, eqn, carried, facts, turn, names, enter)
    collected = eqn.outs[len(carried) :]
    for out, atom in zip(collected, body.results[len(carried) :], strict=True):
        _collect(plan, child, out, atom, control, turns, turn, level)
    _carry_on(child, body, facts, names)
    child.settle()
    more = ""
    if eqn.kwarg("until") is not None:
        more = f" && {names[0]} == 0"
        lists = [plan.of(out) for out in collected]
        child.closing += [f"if ({names[0]}) {made.text}.keep({turn} + 1);" for made in lists if made.text]
    header = f"for (int64_t {turn} = 0; {turn} < {turns}{more}; ++{turn}) {{"
    if eqn.kwarg("reverse") is not None:
        header = f"for (int64_t {turn} = {turns} - 1; {turn} >= 0{more}; --{turn}) {{"
    control.sides = [(header, child)]
    plan.control(level, control)
    for out, fact, name, atom in zip(eqn.outs, facts, names, start, strict=False):
        if fact.kind in ("lane", "array") and plan.of(atom).kind == "number" and out in plan.output_of:
            why = '"a loop without turns leaves a number"'
            plan.declare(level, f"context.require({turns} > 0, PB_UNSUPPORTED, {why});")
        _define_left(plan, out, fact, name, level + 1)


def _turn_name(plan: Plan, item: Var) -> str:
    """The C++ name of the turn's number: the author's, where the loop is over numbers."""
    named = item.kind == "value" and not item.name.startswith("_")
    return plan.names.of(item) if named else plan.names.fresh("turn")


def _declared(plan: Plan, control: Control, var: Var, fact: Fact, start: Atom) -> str:
    """The name of a carried value, which is declared before the loop."""
    own = plan.names.of(var)
    if fact.kind in ("lane", "array"):
        own = plan.names.fresh(f"{own}_view")
        begin = _start(plan, start, fact)
        control.before.append(f"pb::View<const {stored(fact.type)}> {own} = {begin};")
    elif fact.kind == "number":
        expr = plan.values.expr(start)
        assert expr is not None
        control.before.append(f"{stored(fact.type)} {own} = {expr.to(fact.type).text};")
    else:
        held = type_of(fact) if fact.kind == "turns" else "pb::Shape"
        control.before.append(f"{held} {own} = {fact.text};")
    return own


def _define_left(plan: Plan, out: Var, fact: Fact, name: str, level: int) -> None:
    """Define what a loop leaves in the carried value of this name."""
    if fact.kind in ("lane", "array"):
        plan.array_fact(out, name, fact.type, plan.own_shape("loop", name), level)
    elif fact.kind == "number":
        plan.define(out, Fact("number", fact.type, level=level, text=name))
    elif fact.kind == "turns":
        plan.define(out, replace(fact, level=level, text=name))
    else:
        token = plan.own_shape("loop", name)
        plan.define(out, Fact(fact.kind, fact.type, token, (Leaf(name, token, level),), level, name))


def _start(plan: Plan, atom: Atom, fact: Fact) -> str:
    before = plan.of(atom)
    if before.kind == "number":
        expr = plan.values.expr(atom)
        assert expr is not None
        return f"pb::constant<{stored(fact.type)}>(context, {expr.to(stored(fact.type)).text})"
    return f"{plan.array(atom).text}.read_only()"


def _carry_on(child: Plan, body: Block, facts: Sequence[Fact], names: Sequence[str]) -> None:
    """The end of a turn: the carried values are those of the next."""
    moves = []
    for atom, fact, name in zip(body.results, facts, names, strict=False):
        if fact.kind in ("lane", "array"):
            text = child.array_of(atom, stored(fact.type)).text
            moves.append((name, f"{text}.read_only()", text))
        elif fact.kind == "number":
            expr = child.values.expr(atom)
            assert expr is not None
            moves.append((name, expr.to(fact.type).text, expr.text))
        else:
            text = _at_end(child, atom).text
            moves.append((name, text, text))
    early: list[str] = []
    late: list[str] = []
    for k, (name, text, source) in enumerate(moves):
        if source == name:
            continue
        overwritten = any(other == source or f"{other}" in text.split("(")[0] for other, _, _ in moves[:k])
        mixed = facts[k].kind == "number" and any(other in text for other, _, _ in moves[:k])
        if overwritten or mixed:
            held = child.names.fresh(f"next_{name}")
            early.append(f"const auto {held} = {text};")
            text = held
        late.append(f"{name} = {text};")
    child.closing += [*early, *late]


def _collect(
    plan: Plan, child: Plan, out: Var, atom: Atom, control: Control, turns: str, turn: str, level: int
) -> None:
    """A list with a value of each turn."""
    fact = _at_end(child, atom)
    name = plan.names.of(out)
    if fact.kind in ("lane", "array"):
        text = f"{child.array(atom).text}.read_only()"
        made = Fact("turns", fact.type, level=level + 1, text=name, element="array")
    elif fact.kind in ("like", "shape"):
        text = fact.text
        made = Fact("turns", fact.type, level=level + 1, text=name, element=fact.kind)
    elif fact.kind == "number":
        expr = child.values.expr(atom)
        assert expr is not None
        text = expr.to(fact.type).text
        made = Fact("turns", fact.type, level=level + 1, text=name, element="number")
    elif fact.kind == "turns":
        text = fact.text
        made = replace(fact, level=level + 1, text=name, depth=fact.depth + 1)
    elif fact.kind == "index" and (item := child.values.index_item(atom)) is not None:
        text = item
        made = Fact("turns", level=level + 1, text=name, element="index")
    elif fact.kind == "none":
        plan.define(out, Fact("turns", "none", level=level + 1, text="", element="none"))
        return
    else:
        raise plan.refuse(f"a list of such values as {out} is not compiled")
    control.before.append(f"const {type_of(made)} {name}({turns});")
    child.closing.append(f"{name}[{turn}] = {text};")
    plan.define(out, made)
