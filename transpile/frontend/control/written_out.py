"""``for`` loops: over something known they are written out, over anything else they stay loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Literal, Var
from ..state.readers import read, read_body
from ..state.values import Frame, Value, elements
from ..syntax import fence
from ..syntax.leaving import may_end, may_leave, may_return
from .assignment import bind_target
from .index_loops import over_places
from .iteration import counted, reversed_of
from .loops import read_loop

# More iterations with a way out are not written out: each stands in a branch of the one before.
_MOST_IN_EACH_OTHER = 12


def read_for(frame: Frame, node: ast.For, rest: Sequence[ast.stmt], name: str | None) -> Value | None:
    """A loop over something known is written out; over anything else it stays a loop."""
    if node.orelse:
        raise fence.statement(node, frame.span(node))
    node = counted(frame, node) or over_places(frame, node) or node
    backwards = reversed_of(frame, node.iter)
    iterated = read(frame, backwards or node.iter)
    known = elements(iterated)
    if known is not None and len(known) > _MOST_IN_EACH_OTHER and may_end(node.body):
        numbers = _range_of(frame, known, node)
        iterated, known = (iterated, known) if numbers is None else (numbers, None)
    if known is None:
        after = read_loop(frame, node, iterated, backwards is not None)
        return read_body(frame, [*after, *rest], name) or Literal(None) if after else None
    if backwards is not None:
        known = known[::-1]
    for target in ast.walk(node.target):
        if isinstance(target, ast.Name):
            frame.loop_names.add(target.id)
    if may_return(node.body):
        return read_body(frame, [Iterations(node, known), End(), *rest], name) or Literal(None)
    if may_leave(node.body):
        read_body(frame, [Iterations(node, known)])
        return None
    for item in known:
        bind_target(frame, node.target, item)
        read_body(frame, node.body)
    return None


def _range_of(frame: Frame, known: Sequence[Value], node: ast.For) -> Var | None:
    """Integers at equal distances as a range that is no longer written out; None for other elements."""
    numbers = [item.value for item in known if isinstance(item, Literal)]
    integers = [number for number in numbers if type(number) is int]
    if len(integers) < len(known):
        return None
    first, step = integers[0], integers[1] - integers[0]
    bounds = (first, first + step * len(known), step)
    if step == 0 or integers != list(range(*bounds)):
        return None
    shortest = bounds[1:2] if (first, step) == (0, 1) else bounds
    return frame.build.emit("range", tuple(map(Literal, shortest)), frame.span(node.iter), kind="value")


class Iterations(ast.stmt):
    """The iterations of a written-out loop that are left: what follows a branch that may return."""

    def __init__(self, node: ast.For, items: tuple[Value, ...]) -> None:
        super().__init__()
        self.node, self.items = node, items
        ast.copy_location(self, node)


def read_iterations(
    frame: Frame, left: Iterations, rest: Sequence[ast.stmt], name: str | None
) -> Value | None:
    """The iterations that are left of a written-out loop."""
    if not left.items:
        return None
    bind_target(frame, left.node.target, left.items[0])
    others = Iterations(left.node, left.items[1:])
    return read_body(frame, [*left.node.body, others, *rest], name) or Literal(None)


class End(ast.stmt):
    """The end of a written-out loop, in what follows a branch that may leave it."""


def read_end(frame: Frame, end: End, rest: Sequence[ast.stmt], name: str | None) -> None:
    """Nothing happens there."""


def read_break(frame: Frame, node: ast.Break, rest: Sequence[ast.stmt], name: str | None) -> Value:
    """Read on after the loop; nothing where that is read by whoever reads the loop."""
    after = next((place for place, item in enumerate(rest, 1) if isinstance(item, End)), len(rest))
    return read_body(frame, rest[after:], name) or Literal(None)


def read_continue(frame: Frame, node: ast.Continue, rest: Sequence[ast.stmt], name: str | None) -> Value:
    """The iterations that are left, and what follows them."""
    left = next((place for place, item in enumerate(rest) if isinstance(item, Iterations)), len(rest))
    return read_body(frame, rest[left:], name) or Literal(None)
