"""``for`` loops: over something known they are written out, over anything else they stay loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Block, Literal, Var
from ...operators import OPERATORS
from ..state.attempt import Attempt
from ..state.readers import read, read_body
from ..state.values import Frame, Value, iterated
from ..syntax.assigned import assigned
from ..syntax.fence import Refusal
from ..syntax.leaving import may_end, may_leave, may_return
from .assignment import bind_target
from .combined_loops import over_combinations
from .index_loops import over_places
from .iteration import counted, reversed_of
from .loops import read_loop

# More iterations with a way out are not written out: each stands in a branch of the one before.
_MOST_IN_EACH_OTHER = 12
# Fewer iterations are always written out, and loops that come to no more equations than these.
_FEW, _LONGEST, _LONGEST_FUSED = 3, 32, 400


def read_for(frame: Frame, node: ast.For, rest: Sequence[ast.stmt], name: str | None) -> Value | None:
    """A loop over something known is written out; over anything else it stays a loop."""
    node = over_combinations(frame, node) or node
    node = counted(frame, node) or over_places(frame, node) or node
    backwards = reversed_of(frame, node.iter)
    over = read(frame, backwards or node.iter)
    known = iterated(over)
    if known is not None and len(known) > _MOST_IN_EACH_OTHER and may_end(node.body):
        numbers = _range_of(frame, known, node)
        over, known = (over, known) if numbers is None else (numbers, None)
    if known is None:
        after = read_loop(frame, node, over, backwards is not None)
        return read_body(frame, [*after, *rest], name) or Literal(None) if after else None
    if backwards is not None:
        known = known[::-1]
    if not may_end(node.body) and _stays_a_loop(frame, node, known):
        return None
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


def _stays_a_loop(frame: Frame, node: ast.For, known: Sequence[Value]) -> bool:
    """Read as a loop what repeats itself and would be long written out; False where it is not read.

    What is only pointwise is one loop over memory when it is written out, which is worth more of text.
    """
    names = {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
    asked = {part.id for each in node.body for part in ast.walk(each) if isinstance(part, ast.Name)}
    starts = [frame.local.get(name) for name in assigned(node.body)]
    if len(known) < _FEW or names & asked or Literal(None) in starts:
        return False
    attempt = Attempt(frame)
    bind_target(frame, node.target, known[0])
    read_body(frame, node.body)
    once = list(Block((), tuple(frame.build.eqns[attempt.mark :]), ()).every())
    attempt.undo()
    fused = all(eqn.op in OPERATORS and OPERATORS[eqn.op].pointwise for eqn in once)
    if len(once) * len(known) <= (_LONGEST_FUSED if fused else _LONGEST):
        return False
    numbers = _range_of(frame, known, node)
    if numbers is None:
        return False
    try:
        read_loop(frame, node, numbers, backwards=False)
    except Refusal:
        attempt.undo()
        return False
    return True


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
