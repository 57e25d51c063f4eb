"""`if` statements: two blocks of one equation, whose names are joined; early return; checks that raise."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Block, Eqn, Literal
from ..expressions.arithmetic import combine
from ..expressions.branches import Merger
from ..state.atoms import atom
from ..state.readers import read, read_body
from ..state.values import Frame, Poison, Value
from ..syntax.fence import Refusal
from ..syntax.leaving import always_raises, may_leave


def read_if(frame: Frame, node: ast.If, rest: Sequence[ast.stmt], name: str | None) -> Value | None:
    """Read an `if`; the value that it returns, or None where reading goes on after it.

    Where a branch returns, the `rest` of the body belongs to the other one. A
    branch that raises is a check: the other one goes on without a block.
    """
    test = read(frame, node.test)
    early = may_leave(node.body) or may_leave(node.orelse)
    after = list(rest) if early else []
    then, otherwise = [*node.body, *after], [*node.orelse, *after]
    if isinstance(test, Literal):
        return _straight(frame, then if test.value else otherwise, name, early)
    for raising, other, when in ((then, otherwise, True), (otherwise, then, False)):
        if always_raises(raising):
            _check(frame, node, test, raising, when)
            return _straight(frame, other, name, early)
    before, number = dict(frame.local), frame.build.tick()
    with frame.build.block() as then_eqns, frame.side(number, True):
        first = read_body(frame, then, name)
        then_local = frame.local
    frame.local = dict(before)
    with frame.build.block() as else_eqns, frame.side(number, False):
        second = read_body(frame, otherwise, name)
        else_local = frame.local
    merger = Merger(frame, node, then_eqns, else_eqns, test)
    returned = None
    if early:
        returned = merger.merge(first or Literal(None), second or Literal(None), name)
    frame.local = _merge_names(merger, then_local, else_local) | merger.tests
    merger.finish(atom(frame, test, node.test))
    return returned


def _straight(frame: Frame, body: Sequence[ast.stmt], name: str | None, early: bool) -> Value | None:
    """The branch that is taken, read in place."""
    returned = read_body(frame, body, name)
    return Literal(None) if returned is None and early else returned


def _check(frame: Frame, node: ast.If, test: Value, body: Sequence[ast.stmt], when: bool) -> None:
    """Add a conditional without outputs, whose one block raises."""
    before = dict(frame.local)
    with frame.build.block() as eqns:
        read_body(frame, body)
    frame.local = before
    found = atom(frame, test, node.test)
    if not when:
        found = combine(frame, "not_", [found], node.test)
    blocks = (Block((), tuple(eqns), ()), Block((), (), ()))
    frame.build.add(Eqn((), "if", (found,), (), blocks, frame.span(node)))


def _merge_names(merger: Merger, first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    merged: dict[str, Value] = {}
    for name in {**first, **second}:
        a, b = first.get(name, Literal(None)), second.get(name, Literal(None))
        try:
            merged[name] = merger.merge(a, b, name)
        except Refusal:
            merged[name] = Poison("differs in kind between the branches of an `if`")
    return merged
