"""Loops whose number of iterations is not known while reading: one ``for`` equation.

``for i in range(n)``, over a list of tensors, or over the rows of a tensor.
Names that exist before the loop and are assigned in it are carried from iteration
to iteration, and so are lists; a list that is empty before and grows by one ``append``
in each iteration is collected; a name that only the loop assigns is, after it, what the last iteration
gave it. A ``return`` or ``break`` in the loop ends it: the loop then carries which
of them was met, and what is returned is computed after the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from ...ir import Atom, Block, Eqn, Kind, Literal, Var
from ..expressions.branches import choose
from ..state.aliases import ranks
from ..state.atoms import atom
from ..state.attempt import Attempt
from ..state.builder import Builder
from ..state.growing import appended, as_variable, grows_once
from ..state.kinds import check_number
from ..state.lookup import lookup
from ..state.readers import read_body
from ..state.values import Backwards, Frame, Growing, LastIteration, Poison, Value
from ..state.whole import is_whole
from ..syntax.assigned import assigned
from ..syntax.fence import refuse
from .assignment import bind_target
from .carried_memory import Iteration, MemoryAround, in_lists
from .exits import STOPPED, Exits, exits_of


def read_loop(frame: Frame, node: ast.For, iterated: Value, backwards: bool) -> list[ast.stmt]:
    """Read a loop over a value that is only known when the formula runs.

    Returns statements to be read after it: one for each ``return`` in its body.
    """
    span = frame.span(node.iter)
    if not isinstance(iterated, Var):
        raise refuse("PB401", "this cannot be looped over", span, hint="loop over a range or a list")
    check_number(frame, iterated, node.iter, "a loop")
    exits = exits_of(frame, node)
    body, stops = exits.body, exits.flag is not None
    if exits.flag == STOPPED:
        frame.local[STOPPED] = Literal(0)
    names = assigned([node.target, *body])
    if exits.flag is not None:
        names = [exits.flag, *(name for name in names if name != exits.flag)]
    lists = _grown_lists(frame, node, body, iterated)
    grown = sorted(appended(body) & frame.local.keys())
    names += [name for name in grown if name not in names and isinstance(frame.local[name], Var)]
    carried = _carried(frame, names)
    before = dict(frame.local)
    for growing in lists.values():
        growing.depth, growing.collected = growing.depth + 1, True
    iteration = _settled_iteration(frame, node, exits, iterated, backwards and stops, carried, lists)
    for growing in lists.values():
        growing.depth, growing.collected = growing.depth - 1, False
    collected = {name: _collected(frame, node, name, growing) for name, growing in lists.items()}
    flags = [("until", Literal(True))] if stops else [("reverse", Literal(True))] if backwards else []
    _finish(frame, node, iteration, collected, before, tuple(flags))
    return exits.after


def _grown_lists(frame: Frame, node: ast.For, body: Sequence[ast.stmt], iterated: Var) -> dict[str, Growing]:
    """The empty lists that grow by one value in each iteration; others that grow become variables."""
    lists: dict[str, Growing] = {}
    for name in sorted(appended(body) & frame.local.keys()):
        held = frame.local[name]
        if held is iterated:
            hint = "loop over range(len(...)), or append to another list"
            message = f"`{name}` grows while it is looped over"
            raise refuse("PB301", message, frame.span(node.iter), value=name, hint=hint)
        if isinstance(held, Growing) and not held.items and grows_once(body, name):
            lists[name] = held
        elif isinstance(held, Growing):
            as_variable(frame, name, held, node)
    return lists


def _carried(frame: Frame, names: Iterable[str]) -> list[str]:
    """Those names that hold a value which every iteration begins with."""
    for name in names:
        # What another loop left is no such value.
        if isinstance(frame.local.get(name), LastIteration):
            frame.local[name] = Poison("has no value here in every iteration of the loop")
    return [n for n in names if n in frame.local and not isinstance(frame.local[n], Poison)]


def _settled_iteration(
    frame: Frame,
    node: ast.For,
    exits: Exits,
    iterated: Var,
    from_the_end: bool,
    carried: list[str],
    lists: Mapping[str, Growing],
) -> Iteration:
    """One iteration, read again until what it leaves is of the kinds that it was given.

    A number at the start that an iteration makes a tensor of is a tensor from the start.
    """
    build, before = frame.build, dict(frame.local)
    kinds: dict[str, Kind] = {}
    views: set[tuple[str, str | Var]] = set()
    listed: dict[str, str] = {}
    fractional: set[str] = set()
    around = MemoryAround.of(frame, before, carried)
    while True:
        attempt = Attempt(frame)
        iteration = _read_iteration(
            frame, node, exits, iterated, from_the_end, carried, kinds, views, listed, fractional
        )
        widened: dict[str, Kind] = {
            name: result.kind
            for name, param, result in zip(carried, iteration.params, iteration.results, strict=True)
            if param.kind == "value" and isinstance(result, Var) and result.kind in ("tensor", "list")
        }
        seen = around.shared_with_next(build, iteration)
        seen |= _of_other_ranks(build, iteration, node)
        more = in_lists(build, iteration, lists)
        changed = {
            name
            for name, param, result in zip(carried, iteration.params, iteration.results, strict=True)
            if param in build.whole and not is_whole(build, result)
        }
        through = _written_through(frame, before, carried)
        if not (widened or changed or through) and seen <= views and more.keys() <= listed.keys():
            return iteration
        carried += through
        fractional |= changed
        views |= seen
        listed |= more
        kinds.update(widened)
        attempt.undo()


def _read_iteration(
    frame: Frame,
    node: ast.For,
    exits: Exits,
    iterated: Var,
    from_the_end: bool,
    carried: Sequence[str],
    kinds: dict[str, Kind],
    views: set[tuple[str, str | Var]],
    listed: Mapping[str, str],
    fractional: Collection[str],
) -> Iteration:
    build, span = frame.build, frame.span(node)
    over, item, element = _over(frame, node, iterated, exits.flag is not None, from_the_end)
    iteration = Iteration(over, item, list(carried))
    for name in carried:
        start = atom(frame, frame.local[name], node)
        kind = kinds.get(name) or (start.kind if isinstance(start, Var) else "value")
        param = build.fresh(name, kind, span)
        iteration.start.append(start)
        iteration.params.append(param)
        build.sources[param] = {start} if isinstance(start, Var) else set()
        if kind == "value" and name not in fractional and is_whole(build, start):
            build.whole.add(param)
        if start in build.lists:
            build.lists.add(param)
    place = dict(zip(carried, iteration.params, strict=True))
    build.listed.update((place[name], name_of_list) for name, name_of_list in listed.items())
    for one, other in views:
        build.sources[place[one]].add(other if isinstance(other, Var) else place[other])
    with build.block() as iteration.eqns:
        for name, param in zip(carried, iteration.params, strict=True):
            frame.local[name] = param
        bind_target(frame, node.target, element())
        returned = read_body(frame, exits.body)
        if STOPPED in carried and returned is not None:
            frame.local[STOPPED] = returned
            _left_by_inner(frame, exits, returned)
        iteration.results = [atom(frame, frame.local[name], node) for name in carried]
    return iteration


def _left_by_inner(frame: Frame, exits: Exits, stopped: Value) -> None:
    """Give what a loop in this one has left, and what is done after both reads, a value in each iteration.

    Where the loop goes on nothing reads it.
    """
    asked = [part for each in exits.after for part in ast.walk(each) if isinstance(part, ast.Name)]
    for part in asked:
        if isinstance(frame.local.get(part.id), LastIteration):
            left = partial(lookup, frame, part)
            frame.local[part.id] = choose(frame, stopped, left, partial(Literal, 0), part, part.id)


def _written_through(frame: Frame, before: Mapping[str, Value], carried: Collection[str]) -> list[str]:
    """The arrays that an iteration has written to through views of them: every iteration begins with them."""
    return [
        name
        for name, value in before.items()
        if name.isidentifier() and name not in carried and isinstance(value, Var)
        if isinstance(now := frame.local.get(name), Var) and now is not value
    ]


def _of_other_ranks(build: Builder, iteration: Iteration, node: ast.For) -> set[tuple[str, str | Var]]:
    """Carried names that an iteration leaves as arrays of another number of axes: they may be of any.

    Each with a variable of which nothing is known.
    """
    return {
        (name, Var(f"<{name} {node.lineno}:{node.col_offset}>"))
        for name, param, result in zip(iteration.carried, iteration.params, iteration.results, strict=True)
        if isinstance(result, Var) and result.kind == "tensor" and ranks(build, result) - ranks(build, param)
    }


def _over(
    frame: Frame, node: ast.For, iterated: Var, stops: bool, from_the_end: bool
) -> tuple[Atom, Var, Callable[[], Value]]:
    """The value that is looped over, the item's variable, and a reader of the author's item of it.

    A loop that may stop counts its iterations up, for those that there are not have no gradient, and a
    reversed one finds its items `from_the_end`.
    """
    build, span = frame.build, frame.span(node.iter)
    label = node.target.id if isinstance(node.target, ast.Name) else None
    if iterated.kind == "list" and not stops:
        item = build.fresh(label, "tensor", span)
        return iterated, item, lambda: item
    made = next((eqn for eqn in build.eqns if iterated in eqn.outs), None)
    counts = made is not None and made.op == "range" and len(made.args) == 1
    if made is not None and counts and not from_the_end:
        item = build.fresh(label, "value", span)
        build.whole.add(item)
        return made.args[0], item, lambda: item
    iteration = build.fresh("iteration", "value", span)
    build.whole.add(iteration)

    def place() -> Atom:
        if not from_the_end:
            return iteration
        left = build.emit("subtract", (count, iteration), span, kind="value")
        return build.emit("subtract", (left, Literal(1)), span, kind="value")

    if iterated.kind == "tensor":
        shape = build.metadata("shape", (iterated,), span)
        count = build.metadata("item", (shape, Literal(0)), span)
        return (
            count,
            iteration,
            lambda: build.emit("getitem", (iterated,), span, kwargs=(("index", place()),), name=label),
        )
    kind: Kind = "tensor" if iterated.kind == "list" else "value"
    count = build.emit("len", (iterated,), span, kind="value")
    return count, iteration, lambda: build.emit("item", (iterated, place()), span, kind=kind, name=label)


def _collected(frame: Frame, node: ast.For, name: str, growing: Growing) -> Atom:
    """The value that a list grows by in each iteration."""
    value = growing.items[0] if len(growing.items) == 1 else Literal(None)
    number = isinstance(value, Literal) and value.value is not None
    single = (
        isinstance(value, Var) and value.kind in ("tensor", "value") and value not in frame.build.maybe_none
    )
    if not (isinstance(value, Var | Literal) and (number or single)):
        raise refuse(
            "PB401",
            f"`{name}` must grow by one tensor, or by one number, in every iteration of the loop",
            frame.span(node),
            value=name,
            hint="append an array, `np.array(row)`, in the place of a list; once, outside of any branch",
        )
    return value


def _finish(
    frame: Frame,
    node: ast.For,
    iteration: Iteration,
    collected: dict[str, Atom],
    before: dict[str, Value],
    kwargs: tuple[tuple[str, Atom], ...],
) -> None:
    """Add the equation, and bind the names to what the loop leaves in them."""
    build, span = frame.build, frame.span(node)
    _refuse_lists_for_arrays(frame, node, iteration)
    inside = _made_inside(frame, before)
    last = {
        name: value
        for name, value in inside.items()
        if isinstance(value, Var) and value.kind in ("tensor", "value") and value not in build.maybe_none
    }
    finals = [
        build.fresh(name, var.kind, span)
        for name, var in zip(iteration.carried, iteration.params, strict=True)
    ]
    grown = [build.fresh(name, _kind_of_iterations(value), span) for name, value in collected.items()]
    iterations = [
        build.fresh(
            f"{name}_iterations" if name.isidentifier() else "iterations", _kind_of_iterations(value), span
        )
        for name, value in last.items()
    ]
    results = (*iteration.results, *collected.values(), *last.values())
    block = Block((iteration.item, *iteration.params), tuple(iteration.eqns), results)
    build.add(
        Eqn((*finals, *grown, *iterations), "for", (iteration.over, *iteration.start), kwargs, (block,), span)
    )
    frame.local = before
    from_the_end = ("reverse", Literal(True)) in kwargs
    for name, var, param in zip(iteration.carried, finals, iteration.params, strict=True):
        if param in build.lists:
            build.lists.add(var)
        if param in build.whole:
            build.whole.add(var)
        frame.bind(name, var, node)
    build.lists.update(var for var in grown if var.kind == "value")
    for name, var in zip(collected, grown, strict=True):
        frame.bind(name, Backwards(var) if from_the_end else var, node)
    for (name, value), var in zip(last.items(), iterations, strict=True):
        frame.bind(name, LastIteration(var, value.kind, 0 if from_the_end else -1), node)
    for name in inside:
        if name not in last:
            frame.bind(name, Poison("has no value in some iterations of the loop"), node)


def _refuse_lists_for_arrays(frame: Frame, node: ast.For, iteration: Iteration) -> None:
    """Refuse a name that an iteration finds as an array and leaves as a list."""
    for name, param, result in zip(iteration.carried, iteration.params, iteration.results, strict=True):
        if isinstance(result, Var) and result.kind == "list" and param.kind == "tensor":
            message = f"`{name}` grows as a list in a way that is outside of the formula language"
            hint = f"write {name}.append(...), and no other name for the same list in the loop"
            raise refuse("PB401", message, frame.span(node), value=name, hint=hint)


def _made_inside(frame: Frame, before: Mapping[str, Value]) -> dict[str, Value]:
    """Names that have a value inside of the loop, and had none before it."""
    return {
        name: value
        for name, value in frame.local.items()
        if name not in before or (isinstance(before[name], Poison) and value is not before[name])
    }


def _kind_of_iterations(value: Atom) -> Kind:
    """The kind of the values of all iterations, one after the other."""
    return "list" if isinstance(value, Var) and value.kind == "tensor" else "value"
