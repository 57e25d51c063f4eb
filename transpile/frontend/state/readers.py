"""Reading of expressions and statements by the readers that a frame has of each kind."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Atom
from ..syntax import fence
from ..syntax.fence import Refusal
from .atoms import atom
from .values import Frame, Poison, Value


def read(frame: Frame, node: ast.expr, name: str | None = None) -> Value:
    """The value of an expression. `name` goes to the variable of the outermost equation."""
    reader = frame.readers.expressions.get(type(node))
    if reader is None:
        raise fence.expression(node, frame.span(node))
    return reader(frame, node, name)


def operand(frame: Frame, node: ast.expr) -> Atom:
    """The value of an expression as an operand of an equation."""
    return atom(frame, read(frame, node), node)


def read_body(
    frame: Frame, body: Sequence[ast.stmt], name: str | None = None, recover: bool = False
) -> Value | None:
    """Read statements in order; the value of the first `return` met, or None where there is none.

    With `recover`, a statement that cannot be read is reported, the names that it binds
    are poisoned, and reading goes on: one run finds every mistake.
    """
    for index, statement in enumerate(body):
        try:
            reader = frame.readers.statements.get(type(statement))
            if reader is None:
                raise fence.statement(statement, frame.span(statement))
            if (returned := reader(frame, statement, body[index + 1 :], name)) is not None:
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
