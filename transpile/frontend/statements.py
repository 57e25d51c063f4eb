"""Statements to equations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ..ir import Literal, Var
from . import expressions, fence
from .calls import read_call
from .conditionals import read_if
from .fence import Refusal, refuse
from .folding import BINARY
from .frame import Frame
from .iteration import counted
from .loops import read_loop
from .mutation import check_in_place, check_store
from .raising import may_leave, may_return, read_raise
from .unpacking import unpack
from .values import Backwards, Growing, Poison, Value, elements
from .writes import change_part, write_part


def read_body(
    frame: Frame, body: Sequence[ast.stmt], name: str | None = None, recover: bool = False
) -> Value | None:
    """Read statements in order; the value of the first `return` met, or None where there is none.

    With `recover`, a statement that cannot be read is reported, the names that it binds
    are poisoned, and reading goes on: one run finds every mistake.
    """
    for index, statement in enumerate(body):
        try:
            if isinstance(statement, ast.Return):
                return (
                    Literal(None)
                    if statement.value is None
                    else expressions.read(frame, statement.value, name)
                )
            if isinstance(statement, ast.Raise):
                read_raise(frame, statement)
                return Literal(None)
            flow = _FLOW.get(type(statement))
            if flow is None:
                _simple(frame, statement)
            elif (returned := flow(frame, statement, body[index + 1 :], name)) is not None:
                return returned
        except Refusal as refusal:
            if not recover:
                raise
            frame.build.report(refusal)
            _poison(frame, statement)
    return None


def _poison(frame: Frame, statement: ast.stmt) -> None:
    if isinstance(statement, ast.Return):
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            frame.bind(node.id, Poison(), node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            frame.bind(node.name, Poison(), node)
        elif isinstance(node, ast.alias):
            frame.bind((node.asname or node.name).partition(".")[0], Poison(), node)


def _simple(frame: Frame, node: ast.stmt) -> None:
    if isinstance(node, ast.Assign):
        _assign(frame, node)
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        if node.value is not None:
            frame.bind(node.target.id, expressions.read(frame, node.value, node.target.id), node)
    elif isinstance(node, ast.AugAssign):
        _augmented(frame, node)
    elif isinstance(node, ast.FunctionDef):
        _function(frame, node)
    elif isinstance(node, ast.Expr):
        if not isinstance(node.value, ast.Constant):
            if (name := _reversed_in_place(frame, node.value)) is not None:
                held = frame.local[name]
                assert isinstance(held, Backwards)
                frame.bind(name, held.items, node)
                return
            check_in_place(frame, node.value)
            _check_used(frame, node.value, expressions.read(frame, node.value))
    elif not isinstance(node, ast.Pass):
        raise fence.statement(node, frame.span(node))


def _check_used(frame: Frame, node: ast.expr, value: Value) -> None:
    """Refuse a call that nobody reads: it would be left out with what it does."""
    called = frame.build.opaque.get(value) if isinstance(value, Var) else None
    if called is not None:
        raise refuse(
            "PB402",
            f"nothing reads what `{called}` returns, and a formula leaves out what nothing reads",
            frame.span(node),
            value=called,
            hint="call it outside of the formula",
        )


def _reversed_in_place(frame: Frame, node: ast.expr) -> str | None:
    """The list's name in ``name.reverse()``, if it grew in a loop over something reversed."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr != "reverse" or not isinstance(func.value, ast.Name):
        return None
    return func.value.id if isinstance(frame.local.get(func.value.id), Backwards) else None


def _function(frame: Frame, node: ast.FunctionDef) -> None:
    if node.decorator_list:
        raise refuse(
            "PB401", "a nested function with a decorator is outside of the formula language", frame.span(node)
        )
    if (found := fence.is_generator(node)) is not None:
        raise fence.expression(found, frame.span(found))
    frame.bind(node.name, expressions.function_value(frame, node), node)


def _assign(frame: Frame, node: ast.Assign) -> None:
    first = node.targets[0]
    if isinstance(first, ast.Name):
        value = expressions.read(frame, node.value, first.id)
    elif isinstance(node.value, ast.Call) and (targets := _target_names(first)):
        value = read_call(frame, node.value, None, targets)
    else:
        value = expressions.read(frame, node.value)
    for target in node.targets:
        bind_target(frame, target, value)


def _target_names(target: ast.expr) -> tuple[str, ...]:
    if not isinstance(target, ast.Tuple | ast.List):
        return ()
    names = tuple(item.id for item in target.elts if isinstance(item, ast.Name))
    return names if len(names) == len(target.elts) else ()


def bind_target(frame: Frame, target: ast.expr, value: Value) -> None:
    """Assign a value to a name, or its parts to a tuple of names."""
    if isinstance(target, ast.Name):
        frame.bind(target.id, value, target)
        return
    if isinstance(target, ast.Subscript):
        write_part(frame, target, value, target)
        return
    if not isinstance(target, ast.Tuple | ast.List):
        check_store(frame, target)
        raise refuse("PB401", "this cannot be assigned to in a formula", frame.span(target))
    count = len(target.elts)
    if any(isinstance(item, ast.Starred) for item in target.elts):
        hint = "take the rest as a slice: `first, rest = x[0], x[1:]`"
        problem = "unpacking with `*` is outside of the formula language"
        raise refuse("PB401", problem, frame.span(target), hint=hint)
    names = _target_names(target) or (None,) * count
    for item, part in zip(target.elts, unpack(frame, value, names, target), strict=True):
        bind_target(frame, item, part)


def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    op = BINARY.get(type(node.op))
    if op is None:
        raise refuse("PB401", "this operator is outside of the formula language", frame.span(node))
    if isinstance(node.target, ast.Subscript):
        change_part(frame, node.target, op, node)
        return
    if not isinstance(node.target, ast.Name):
        check_store(frame, node.target)
        raise refuse("PB401", "this cannot be changed in a formula", frame.span(node))
    name = node.target.id
    held = frame.lookup(ast.copy_location(ast.Name(name, ast.Load()), node.target))
    if isinstance(held, Growing):
        raise refuse("PB401", "a list grows by `append` only", frame.span(node), value=name)
    check_in_place(frame, node.target, name, held)
    value = expressions.arithmetic(frame, op, held, expressions.read(frame, node.value), node, name)
    frame.bind(name, value, node)


def _for(frame: Frame, node: ast.For, rest: Sequence[ast.stmt], name: str | None) -> Value | None:
    """A loop over something known is written out; over anything else it stays a loop."""
    if node.orelse:
        raise fence.statement(node, frame.span(node))
    node = counted(frame, node) or node
    backwards = expressions.reversed_of(frame, node.iter)
    iterated = expressions.read(frame, backwards or node.iter)
    known = elements(iterated)
    if known is None:
        after = read_loop(frame, node, iterated, backwards is not None)
        return read_body(frame, [*after, *rest], name) or Literal(None) if after else None
    if backwards is not None:
        known = known[::-1]
    for target in ast.walk(node.target):
        if isinstance(target, ast.Name):
            frame.loop_names.add(target.id)
    if may_return(node.body):
        return read_body(frame, [_Turns(node, known), _End(), *rest], name) or Literal(None)
    if may_leave(node.body):
        read_body(frame, [_Turns(node, known)])
        return None
    for item in known:
        bind_target(frame, node.target, item)
        read_body(frame, node.body)
    return None


class _Turns(ast.stmt):
    """The turns of a written-out loop that are left: what follows a branch that may return."""

    def __init__(self, node: ast.For, items: tuple[Value, ...]) -> None:
        super().__init__()
        self.node, self.items = node, items
        ast.copy_location(self, node)


def _turns(frame: Frame, turns: _Turns, rest: Sequence[ast.stmt], name: str | None) -> Value | None:
    if not turns.items:
        return None
    bind_target(frame, turns.node.target, turns.items[0])
    left = _Turns(turns.node, turns.items[1:])
    return read_body(frame, [*turns.node.body, left, *rest], name) or Literal(None)


class _End(ast.stmt):
    """Where a written-out loop ends, in what follows a branch that may leave it."""


def _end(frame: Frame, end: _End, rest: Sequence[ast.stmt], name: str | None) -> None:
    """Nothing happens there."""


def _break(frame: Frame, node: ast.Break, rest: Sequence[ast.stmt], name: str | None) -> Value:
    """What follows the loop; nothing where that is read by whoever reads the loop."""
    after = next((place for place, item in enumerate(rest, 1) if isinstance(item, _End)), len(rest))
    return read_body(frame, rest[after:], name) or Literal(None)


def _continue(frame: Frame, node: ast.Continue, rest: Sequence[ast.stmt], name: str | None) -> Value:
    """The turns that are left, and what follows them."""
    left = next((place for place, item in enumerate(rest) if isinstance(item, _Turns)), len(rest))
    return read_body(frame, rest[left:], name) or Literal(None)


# Statements after which reading may not go on; what follows them is handed to them.
_FLOW: dict[type[ast.stmt], Callable[[Frame, Any, Sequence[ast.stmt], str | None], Value | None]] = {
    ast.If: read_if,
    ast.For: _for,
    _Turns: _turns,
    _End: _end,
    ast.Break: _break,
    ast.Continue: _continue,
}
