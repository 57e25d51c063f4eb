"""A `while`: where numbers say how long it goes on, its iterations are counted first.

How often ``while h < n: ...; h *= 2`` runs depends on numbers alone. A loop of what changes these, and of the
ways out, counts the iterations; it has no derivative, and nothing of it is saved. Then the `while` is read as
a ``for`` over so many. Where elements of a tensor say how long a loop goes on, nobody counts: it is a ``for``
over more iterations than anyone waits for, and its condition a way out as `break` is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from ...ir import Literal, Var
from ..state.attempt import Attempt
from ..state.growing import appended
from ..state.readers import read
from ..state.values import Choice, Dotted, Frame, Function, Growing, Value
from ..syntax import fence
from ..syntax.assigned import assigned
from ..syntax.leaving import may_leave, may_return
from ..syntax.nodes import located, node_of
from .exits import Endless

# Names that no author can write, and more iterations than anyone waits for.
_COUNTED, _RANGE, _COUNT = "<counted>", "<range of while>", "<count of while>"
_MOST = 10**18


class DecidedByElements(Exception):
    """Raised where a tensor says how long a loop goes on."""


class Condition(ast.expr):
    """A test that numbers decide; one that a tensor decides does not hold, where it may be left out."""

    _fields = ("test", "left_out")
    test: ast.expr
    left_out: bool


def read_condition(frame: Frame, node: Condition, name: str | None) -> Value:
    """The value of a test of numbers. Raises DecidedByElements for another."""
    value = read(frame, node.test)
    if not isinstance(value, Var) or value.kind != "tensor":
        return value
    if node.left_out:
        return Literal(False)
    raise DecidedByElements


def read_counted_first(
    frame: Frame, node: ast.While, rest: Sequence[ast.stmt], name: str | None
) -> Value | None:
    """Count a loop's iterations, then read the loop as one over a range."""
    if _is_forever(node) and not may_leave(node.body):
        raise fence.statement(node, frame.span(node))
    found = _count(frame, node)
    if found is not None:
        return read_times(frame, node, found, node.body, rest, name)
    goes_on = [] if _is_forever(node) else [ast.If(node.test, [ast.Pass()], [ast.Break()])]
    return read_times(frame, node, Literal(_MOST), [*goes_on, *node.body], rest, name)


def _count(frame: Frame, node: ast.While) -> Value | None:
    """The number of a loop's iterations, by a loop that counts them; None where elements decide it."""
    if any(may_return([each]) for each in _loops_in(node.body)):
        return None
    attempt, before, count = Attempt(frame), dict(frame.local), f"<iterations of while {node.lineno}>"
    for name_of_list in appended(node.body):
        held = frame.local.get(name_of_list)
        if isinstance(held, Growing):
            frame.local[name_of_list] = Growing([*held.items], held.by_closure, held.depth)
    frame.local[count] = Literal(0)
    goes_on = ast.If(_condition(node.test, False), [ast.Pass()], [ast.Break()])
    add = ast.AugAssign(ast.Name(count, ast.Store()), ast.Add(), ast.Constant(1))
    try:
        read_times(frame, node, Literal(_MOST), [goes_on, add, *_changes_of_numbers(frame, node)], [], None)
        return frame.local[count]
    except DecidedByElements:
        attempt.undo()
        return None
    finally:
        frame.local = before


def read_times(
    frame: Frame,
    node: ast.While,
    count: Value,
    body: list[ast.stmt],
    rest: Sequence[ast.stmt],
    name: str | None,
) -> Value | None:
    """So many iterations of a loop's body."""
    frame.local |= {_RANGE: Dotted("range", "range"), _COUNT: count}
    call = ast.Call(ast.Name(_RANGE, ast.Load()), [ast.Name(_COUNT, ast.Load())], [])
    kind = Endless if _is_forever(node) else ast.For
    loop = located(kind(ast.Name(_COUNTED, ast.Store()), call, body, []), node.test)
    return frame.readers.statements[ast.For](frame, ast.copy_location(loop, node), rest, name)


def _is_forever(node: ast.While) -> bool:
    """True for ``while True``."""
    return isinstance(node.test, ast.Constant) and bool(node.test.value)


def _changes_of_numbers(frame: Frame, node: ast.While) -> list[ast.stmt]:
    """The statements that the condition and the ways out of a loop depend on."""
    asked = _read_in(frame, node.test)
    wanted, ends = set(asked), not asked.isdisjoint(assigned(node.body))
    while True:
        body, more = _slice(frame, node.body, wanted, ends, False)
        if more <= wanted:
            return body
        wanted |= more


def _loops_in(body: Sequence[ast.stmt]) -> Iterator[ast.For | ast.While]:
    """Loops in a body, nested functions left out."""
    for statement in body:
        if isinstance(statement, ast.For | ast.While):
            yield statement
        elif isinstance(statement, ast.If):
            yield from _loops_in([*statement.body, *statement.orelse])


def _slice(
    frame: Frame, body: Sequence[ast.stmt], wanted: set[str], ends: bool, followed: bool
) -> tuple[list[ast.stmt], set[str]]:
    """The statements of a loop that change what is wanted or leave the loop, and the names that these read.

    A way out that a tensor decides may be left out where the loop `ends` without it, and a `continue`
    that is not `followed` by anything that is kept.
    """
    kept: list[ast.stmt] = []
    names: set[str] = set()
    for statement in reversed(body):
        changes = {*assigned([statement]), *appended([statement])} & wanted
        after = followed or bool(kept)
        if isinstance(statement, ast.Return | ast.Raise):
            kept.append(ast.copy_location(ast.Break(), statement))
        elif isinstance(statement, ast.Break) or (isinstance(statement, ast.Continue) and after):
            kept.append(statement)
        elif isinstance(statement, ast.If):
            then, first = _slice(frame, statement.body, wanted, ends, after)
            otherwise, second = _slice(frame, statement.orelse, wanted, ends, after)
            if then or otherwise:
                skips = after and any(isinstance(each, ast.Continue) for each in ast.walk(statement))
                test = _condition(statement.test, ends and not changes and not skips)
                kept.append(ast.copy_location(ast.If(test, then or [ast.Pass()], otherwise), statement))
                names |= first | second | _read_in(frame, statement.test)
        elif changes or (
            isinstance(statement, ast.Expr) and not wanted.isdisjoint(_read_in(frame, statement))
        ):
            kept.append(copy.deepcopy(statement))
            names |= _read_in(frame, statement) | changes
    return kept[::-1], names


def _condition(test: ast.expr, left_out: bool) -> Condition:
    return node_of(Condition, test, test, left_out)


def _read_in(frame: Frame, node: ast.AST) -> set[str]:
    """The names that an expression or statement reads, and those that functions read which it names."""
    found: set[str] = set()
    queue = [node]
    while queue:
        for part in ast.walk(queue.pop()):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in found:
                found.add(part.id)
                held = frame.local.get(part.id)
                if isinstance(held, Function | Choice):
                    queue += [each.node for each in (held.leaves() if isinstance(held, Choice) else [held])]
    return found
