"""Loops whose number of turns is not known while reading: one ``for`` equation.

``for i in range(n)``, over a list of tensors, or over the rows of a tensor.
Names that exist before the loop and are assigned in it are carried from turn
to turn; a list that is empty before and grows by one ``append`` in each turn
is collected; a name that only the loop assigns has no value after it, for the
loop may have no turn.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..ir import Atom, Block, Eqn, Kind, Literal, Var
from .atoms import atom
from .fence import refuse
from .frame import Frame
from .values import Growing, Poison, Value

Read = Callable[[Frame, Sequence[ast.stmt]], object]
Bind = Callable[[Frame, ast.expr, Value], None]


@dataclass
class _Turn:
    """A loop's body as it was read, with what it starts from."""

    over: Atom
    item: Var
    carried: list[str]
    params: list[Var] = field(default_factory=list)
    start: list[Atom] = field(default_factory=list)
    results: list[Atom] = field(default_factory=list)
    eqns: list[Eqn] = field(default_factory=list)


def read_loop(
    frame: Frame, node: ast.For, iterated: Value, backwards: bool, readers: tuple[Read, Bind]
) -> None:
    """Read a loop over a value that is only known when the formula runs."""
    build, span = frame.build, frame.span(node.iter)
    if not isinstance(iterated, Var):
        raise refuse("PB401", "this cannot be looped over", span, hint="loop over a range or a list")
    assigned = _assigned(node.body)
    lists = {
        name: value
        for name, value in frame.local.items()
        if isinstance(value, Growing) and not value.items and name in _appended(node.body)
    }
    carried = [n for n in assigned if n in frame.local and not isinstance(frame.local[n], Poison)]
    before = dict(frame.local)
    kinds: dict[str, Kind] = {}
    for growing in lists.values():
        growing.depth += 1
    while True:
        names, mark = set(build.names), len(build.eqns)
        turn = _read_turn(frame, node, iterated, carried, kinds, readers)
        widened = {
            name: "tensor"
            for name, param, result in zip(carried, turn.params, turn.results, strict=True)
            if param.kind == "value" and isinstance(result, Var) and result.kind == "tensor"
        }
        if not widened:
            break
        # A number at the start that a turn makes a tensor of is a tensor from the start.
        kinds.update(dict.fromkeys(widened, "tensor"))
        del build.eqns[mark:]
        build.names, frame.local = names, dict(before)
        for growing in lists.values():
            growing.items.clear()
    for growing in lists.values():
        growing.depth -= 1
    collected = [_collected(frame, node, name, growing) for name, growing in lists.items()]
    kwargs = (("reverse", Literal(True)),) if backwards else ()
    _finish(frame, node, turn, list(lists), collected, before, kwargs)


def _read_turn(
    frame: Frame,
    node: ast.For,
    iterated: Var,
    carried: Sequence[str],
    kinds: dict[str, Kind],
    readers: tuple[Read, Bind],
) -> _Turn:
    read_body, bind_target = readers
    build, span = frame.build, frame.span(node)
    over, item, element = _over(frame, node, iterated)
    turn = _Turn(over, item, list(carried))
    for name in carried:
        start = atom(frame, frame.local[name], node)
        kind = kinds.get(name) or (start.kind if isinstance(start, Var) else "value")
        param = build.fresh(name, kind, span)
        turn.start.append(start)
        turn.params.append(param)
    with build.block() as turn.eqns:
        for name, param in zip(carried, turn.params, strict=True):
            frame.local[name] = param
        bind_target(frame, node.target, element())
        read_body(frame, node.body)
        turn.results = [atom(frame, frame.local[name], node) for name in carried]
    return turn


def _over(frame: Frame, node: ast.For, iterated: Var) -> tuple[Atom, Var, Callable[[], Value]]:
    """What is looped over, the item's variable, and how the body reads the author's item of it."""
    build, span = frame.build, frame.span(node.iter)
    label = node.target.id if isinstance(node.target, ast.Name) else None
    if iterated.kind == "list":
        item = build.fresh(label, "tensor", span)
        return iterated, item, lambda: item
    made = next((eqn for eqn in build.eqns if iterated in eqn.outs), None)
    if made is not None and made.op == "range" and len(made.args) == 1:
        item = build.fresh(label, "value", span)
        return made.args[0], item, lambda: item
    place = build.fresh("turn", "value", span)
    if iterated.kind == "tensor":
        shape = build.metadata("shape", (iterated,), span)
        count = build.metadata("item", (shape, Literal(0)), span)
        index = (("index", place),)
        return count, place, lambda: build.emit("getitem", (iterated,), span, kwargs=index, name=label)
    count = build.emit("len", (iterated,), span, kind="value")
    return count, place, lambda: build.emit("item", (iterated, place), span, kind="value", name=label)


def _collected(frame: Frame, node: ast.For, name: str, growing: Growing) -> Var:
    """The value that a list grows by in each turn."""
    value = growing.items[0] if len(growing.items) == 1 else None
    if not isinstance(value, Var) or value.kind != "tensor":
        raise refuse(
            "PB401",
            f"`{name}` must grow by one tensor in every turn of the loop",
            frame.span(node),
            value=name,
            hint="append once, outside of any branch",
        )
    return value


def _finish(
    frame: Frame,
    node: ast.For,
    turn: _Turn,
    lists: list[str],
    collected: list[Var],
    before: dict[str, Value],
    kwargs: tuple[tuple[str, Atom], ...],
) -> None:
    """Add the equation, and bind the names to what the loop leaves in them."""
    build, span = frame.build, frame.span(node)
    finals = [build.fresh(name, var.kind, span) for name, var in zip(turn.carried, turn.params, strict=True)]
    grown = [build.fresh(name, "list", span) for name in lists]
    block = Block((turn.item, *turn.params), tuple(turn.eqns), (*turn.results, *collected))
    build.eqns.append(Eqn((*finals, *grown), "for", (turn.over, *turn.start), kwargs, (block,), span))
    inside = set(frame.local) - set(before)
    frame.local = before
    for name, var in zip([*turn.carried, *lists], [*finals, *grown], strict=True):
        frame.bind(name, var, node)
    for name in inside:
        frame.bind(name, Poison("is assigned in the loop alone, which may have no turn"), node)


def _assigned(body: Sequence[ast.stmt]) -> list[str]:
    """Names that statements assign, in order, nested functions left out."""
    found: dict[str, None] = {}
    queue: list[ast.AST] = list(body)
    while queue:
        node = queue.pop(0)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id)
        queue.extend(ast.iter_child_nodes(node))
    return list(found)


def _appended(body: Sequence[ast.stmt]) -> set[str]:
    """Names of what ``name.append(...)`` is called on."""
    calls = (node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call))
    return {
        call.func.value.id
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(call.func.value, ast.Name)
    }
