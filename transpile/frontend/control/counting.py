"""``while i < n: ...; i += 1``: a loop that counts, read as a ``for`` over a range.

What else the condition asks is a way out at the beginning of an iteration. Any other `while` is read in
`counted_first`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...ir import Literal, Var
from ..state.attempt import Attempt
from ..state.growing import appended
from ..state.readers import read
from ..state.values import Frame, Value
from ..state.whole import is_whole
from ..syntax.assigned import assigned
from ..syntax.nodes import located
from .counted_first import read_counted_first, read_times

# Which way each comparison of the counter with a bound has to count.
_UP, _DOWN = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip


def read_while(frame: Frame, node: ast.While, rest: Sequence[ast.stmt], name: str | None) -> Value | None:
    """A loop that counts up or down to a bound; what follows it is read too where the loop may return."""
    together = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And)
    tests = node.test.values if together and isinstance(node.test, ast.BoolOp) else [node.test]
    for place, test in enumerate(tests):
        count = _count(node, test)
        if count is None:
            continue
        attempt = Attempt(frame)
        value = read(frame, located(count, test))
        if not isinstance(value, Var | Literal) or not is_whole(frame.build, value):
            attempt.undo()
            continue
        others = [*tests[:place], *tests[place + 1 :]]
        ways_out = [ast.If(other, [ast.Pass()], [ast.Break()]) for other in others]
        return read_times(frame, node, value, [*ways_out, *node.body], rest, name)
    return read_counted_first(frame, node, rest, name)


def _count(node: ast.While, test: ast.expr) -> ast.expr | None:
    """The number of iterations after which a comparison does not hold; None where it compares no counter."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in _TURNED:
        return None
    sign, left, right = type(test.ops[0]), test.left, test.comparators[0]
    for side, op, other in ((left, sign, right), (right, _TURNED[sign], left)):
        counter, bound = _apart(side, other)
        step = _step(node, counter) if isinstance(counter, ast.Name) else None
        if step is None or (step > 0) != (op in _UP) or not _is_fixed(node, bound):
            continue
        ends = (bound, counter) if step > 0 else (counter, bound)
        way = ast.BinOp(ends[0], ast.Sub(), ends[1])
        if op in (ast.LtE, ast.GtE):
            way = ast.BinOp(way, ast.Add(), ast.Constant(1))
        if abs(step) == 1:
            return way
        rounded = ast.BinOp(way, ast.Add(), ast.Constant(abs(step) - 1))
        return ast.BinOp(rounded, ast.FloorDiv(), ast.Constant(abs(step)))
    return None


def _apart(side: ast.expr, bound: ast.expr) -> tuple[ast.expr, ast.expr]:
    """The counter of ``counter + size < bound`` alone, and the bound that it has then."""
    if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Add | ast.Sub):
        turned = ast.Sub() if isinstance(side.op, ast.Add) else ast.Add()
        return side.left, ast.BinOp(bound, turned, side.right)
    return side, bound


def _step(node: ast.While, counter: ast.Name) -> int | None:
    """The step by which each iteration changes a counter, once and whatever else happens in it."""
    found = [(place, each) for place, each in enumerate(node.body) if _changes(each, counter.id)]
    if len(found) != 1 or sum(name == counter.id for name in _every_assigned(node.body)) != 1:
        return None
    place, change = found[0]
    assert isinstance(change, ast.AugAssign)
    size = change.value.value if isinstance(change.value, ast.Constant) else None
    if type(size) is not int or size <= 0 or any(map(_goes_on, node.body[:place])):
        return None
    return size if isinstance(change.op, ast.Add) else -size


def _changes(node: ast.stmt, counter: str) -> bool:
    named = isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    return named and node.target.id == counter and isinstance(node.op, ast.Add | ast.Sub)  # type: ignore[attr-defined]


def _every_assigned(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _goes_on(node: ast.AST) -> bool:
    """True where a statement holds a ``continue`` of the loop around it."""
    if isinstance(node, ast.For | ast.While | ast.FunctionDef | ast.Lambda):
        return False
    return isinstance(node, ast.Continue) or any(map(_goes_on, ast.iter_child_nodes(node)))


def _is_fixed(node: ast.While, bound: ast.expr) -> bool:
    """True of a whole number that no iteration changes: it is computed of sizes, lengths, other names."""
    rebound = {*_every_assigned(node.body), *appended(node.body)}
    changed = rebound | {*assigned(node.body)}
    queue: list[ast.AST] = [bound]
    while queue:
        part = queue.pop()
        if isinstance(part, ast.Call) and not (isinstance(part.func, ast.Name) and part.func.id in _PLAIN):
            return False
        if isinstance(part, ast.Div) or (isinstance(part, ast.Constant) and isinstance(part.value, float)):
            return False
        if isinstance(part, ast.Name) and part.id in changed:
            return False
        called = isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "len"
        asked = part.args[0] if called and isinstance(part, ast.Call) and part.args else None
        if isinstance(part, ast.Attribute) and part.attr in ("shape", "size", "ndim"):
            asked = part.value
        if isinstance(asked, ast.Name) and asked.id not in rebound:  # writes to its parts leave its sizes
            continue
        queue += ast.iter_child_nodes(part)
    return True


# Python's functions of numbers and lengths.
_PLAIN = frozenset({"len", "min", "max", "int", "abs"})
