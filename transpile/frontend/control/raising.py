"""``raise`` of an exception."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Eqn, Literal
from ..expressions.formatted import message_value
from ..state.values import Frame, Value
from ..syntax.fence import refuse

_HINT = 'write `raise ValueError("what is wrong")`'


def read_raise(frame: Frame, node: ast.Raise, rest: Sequence[ast.stmt], name: str | None) -> Value:
    """Add a ``raise`` equation: the exception by its name, its arguments as values."""
    span = frame.span(node)
    if node.exc is None:
        raise refuse("PB401", "a `raise` without an exception is outside of the language", span, hint=_HINT)
    if node.cause is not None and not (isinstance(node.cause, ast.Constant) and node.cause.value is None):
        raise refuse("PB401", "`raise ... from` is outside of the formula language", span, hint=_HINT)
    call = node.exc if isinstance(node.exc, ast.Call) else None
    exception = _exception(frame, call.func if call else node.exc)
    if call is not None and (call.keywords or any(isinstance(arg, ast.Starred) for arg in call.args)):
        raise refuse("PB404", f"`{exception}` takes positional arguments here", span, value=exception)
    arguments = [message_value(frame, arg) for arg in (call.args if call else ())]
    kwargs = (("exception", Literal(exception)),)
    frame.build.add(Eqn((), "raise", tuple(arguments), kwargs, (), span))
    return Literal(None)


def _exception(frame: Frame, node: ast.expr) -> str:
    """The dotted name of what is raised, which the emitted code looks up in the author's module."""
    text, root = ast.unparse(node), node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or frame.holds(root.id):
        raise refuse("PB401", f"`{text}` is no exception's name", frame.span(node), value=text, hint=_HINT)
    return text
