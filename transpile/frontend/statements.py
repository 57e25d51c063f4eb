"""Statements to equations."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..ir import Literal, Var
from . import expressions, fence
from .atoms import atom
from .branches import Merger
from .calls import read_call
from .fence import Refusal, refuse
from .folding import BINARY
from .frame import Frame
from .loops import read_loop
from .mutation import check_in_place, check_store
from .values import Growing, Poison, Value, elements


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
            if isinstance(statement, ast.If):
                returned = _if(frame, statement, body[index + 1 :], name)
                if returned is not None:
                    return returned
            elif isinstance(statement, ast.For):
                _for(frame, statement)
            else:
                _simple(frame, statement)
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
            check_in_place(frame, node.value)
            expressions.read(frame, node.value)
    elif not isinstance(node, ast.Pass):
        raise fence.statement(node, frame.span(node))


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
        for target in node.targets:
            check_store(frame, target)
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
    if not isinstance(target, ast.Tuple | ast.List):
        check_store(frame, target)
        raise refuse("PB401", "this cannot be assigned to in a formula", frame.span(target))
    count = len(target.elts)
    if any(isinstance(item, ast.Starred) for item in target.elts):
        raise refuse("PB401", "unpacking with `*` is outside of the formula language", frame.span(target))
    for item, part in zip(target.elts, _unpack(frame, value, count, target), strict=True):
        bind_target(frame, item, part)


def _unpack(frame: Frame, value: Value, count: int, node: ast.expr) -> tuple[Value, ...]:
    known = elements(value)
    span = frame.span(node)
    if known is not None:
        if len(known) != count:
            raise refuse("PB401", f"{len(known)} values are unpacked into {count} names", span)
        return known
    if not isinstance(value, Var):
        raise refuse("PB401", "this cannot be unpacked", span)
    names = _target_names(node) or (None,) * count
    if value.kind == "value":
        build = frame.build
        return tuple(build.metadata("item", (value, Literal(i)), span, names[i]) for i in range(count))
    if value.kind == "list" or value in frame.build.opaque:
        parts = [frame.build.emit("item", (value, Literal(i)), span, name=names[i]) for i in range(count)]
        return tuple(parts)
    indexes = [(("index", Literal(i)),) for i in range(count)]
    return tuple(
        frame.build.emit("getitem", (value,), span, kwargs=indexes[i], name=names[i]) for i in range(count)
    )


def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    if not isinstance(node.target, ast.Name):
        check_store(frame, node.target)
        raise refuse("PB401", "this cannot be changed in a formula", frame.span(node))
    name = node.target.id
    op = BINARY.get(type(node.op))
    if op is None:
        raise refuse("PB401", "this operator is outside of the formula language", frame.span(node))
    held = frame.lookup(ast.copy_location(ast.Name(name, ast.Load()), node.target))
    if isinstance(held, Growing):
        raise refuse("PB401", "a list grows by `append` only", frame.span(node), value=name)
    check_in_place(frame, node.target, name, held)
    value = expressions.arithmetic(frame, op, held, expressions.read(frame, node.value), node, name)
    frame.bind(name, value, node)


def _for(frame: Frame, node: ast.For) -> None:
    """A loop over something known is written out; over anything else it stays a loop."""
    if node.orelse or any(isinstance(item, ast.Break | ast.Continue) for item in ast.walk(node)):
        raise fence.statement(node, frame.span(node))
    if _returns(node.body):
        raise refuse("PB401", "a `return` inside a loop is not supported", frame.span(node))
    backwards = expressions.reversed_of(frame, node.iter)
    iterated = expressions.read(frame, backwards or node.iter)
    known = elements(iterated)
    if known is None:
        read_loop(frame, node, iterated, backwards is not None, (read_body, bind_target))
        return
    if backwards is not None:
        known = known[::-1]
    for item in known:
        bind_target(frame, node.target, item)
        read_body(frame, node.body)
    for target in ast.walk(node.target):
        if isinstance(target, ast.Name):
            frame.loop_names.add(target.id)


def _returns(body: Sequence[ast.stmt]) -> bool:
    """True where a statement, nested functions left out, may return."""
    for node in body:
        if isinstance(node, ast.Return):
            return True
        if isinstance(node, ast.If | ast.For) and (_returns(node.body) or _returns(node.orelse)):
            return True
    return False


def _if(frame: Frame, node: ast.If, rest: Sequence[ast.stmt], name: str | None) -> Value | None:
    """An `if` statement. Where a branch returns, the rest of the body belongs to the other one."""
    test = expressions.read(frame, node.test)
    early = _returns(node.body) or _returns(node.orelse)
    after = list(rest) if early else []
    if isinstance(test, Literal):
        chosen = [*(node.body if test.value else node.orelse), *after]
        returned = read_body(frame, chosen, name)
        return returned if returned is not None or not early else Literal(None)
    before = dict(frame.local)
    with frame.build.block() as then_eqns:
        first = read_body(frame, [*node.body, *after], name)
        then_local = frame.local
    frame.local = dict(before)
    with frame.build.block() as else_eqns:
        second = read_body(frame, [*node.orelse, *after], name)
        else_local = frame.local
    merger = Merger(frame, node, then_eqns, else_eqns)
    returned = None
    if early:
        returned = merger.merge(first or Literal(None), second or Literal(None), name)
    frame.local = _merge_names(frame, merger, then_local, else_local)
    merger.finish(atom(frame, test, node.test))
    return returned


def _merge_names(
    frame: Frame, merger: Merger, first: dict[str, Value], second: dict[str, Value]
) -> dict[str, Value]:
    merged: dict[str, Value] = {}
    for name in {**first, **second}:
        a, b = first.get(name, Literal(None)), second.get(name, Literal(None))
        try:
            merged[name] = merger.merge(a, b, name)
        except Refusal:
            merged[name] = Poison("differs in kind between the branches of an `if`")
    return merged
