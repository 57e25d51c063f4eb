"""``raise``, and the text of its message."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..ir import Atom, Eqn, Literal
from . import expressions
from .atoms import atom
from .fence import refuse
from .frame import Frame
from .values import Value, is_value

_HINT = 'write `raise ValueError("what is wrong")`'


def read_raise(frame: Frame, node: ast.Raise) -> None:
    """Add a ``raise`` equation: the exception by its name, its arguments as values."""
    span = frame.span(node)
    if node.exc is None:
        raise refuse("PB401", "a `raise` without an exception is outside of the language", span, hint=_HINT)
    if node.cause is not None and not (isinstance(node.cause, ast.Constant) and node.cause.value is None):
        raise refuse("PB401", "`raise ... from` is outside of the formula language", span, hint=_HINT)
    call = node.exc if isinstance(node.exc, ast.Call) else None
    name = _exception(frame, call.func if call else node.exc)
    if call is not None and (call.keywords or any(isinstance(arg, ast.Starred) for arg in call.args)):
        raise refuse("PB404", f"`{name}` takes positional arguments here", span, value=name)
    arguments = [_argument(frame, arg) for arg in (call.args if call else ())]
    kwargs = (("exception", Literal(name)),)
    frame.build.add(Eqn((), "raise", tuple(arguments), kwargs, (), span))


def _exception(frame: Frame, node: ast.expr) -> str:
    """The dotted name of what is raised, which the emitted code looks up in the author's module."""
    text, root = ast.unparse(node), node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or frame.holds(root.id):
        raise refuse("PB401", f"`{text}` is no exception's name", frame.span(node), value=text, hint=_HINT)
    return text


def _argument(frame: Frame, node: ast.expr) -> Atom:
    value = expressions.read(frame, node)
    if not is_value(value):
        raise refuse(
            "PB402",
            "a tensor in an exception's message",
            frame.span(node),
            hint="name what is wrong with it: its shape, its dtype",
        )
    return atom(frame, value, node)


def read_formatted(frame: Frame, node: ast.JoinedStr, name: str | None) -> Value:
    """``f"..."`` of values: one ``format`` equation, whose first operand is the template.

    The template is that of `str.format`, with a field per value: ``"shape {}, axis {!r:>3}"``.
    """
    template, values = [], []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            template.append(_field(frame, part))
            values.append(_argument(frame, part.value))
        elif isinstance(part, ast.Constant):
            template.append(str(part.value).replace("{", "{{").replace("}", "}}"))
    return formatted(frame, "".join(template), values, node, name)


def formatted(
    frame: Frame, template: str, values: Sequence[Atom], node: ast.AST, name: str | None = None
) -> Value:
    """The text that values make of a template; written out where they are known."""
    known = [value.value for value in values if isinstance(value, Literal) and not value.strong]
    if len(known) == len(values):
        try:
            return Literal(template.format(*known))
        except (ValueError, TypeError) as error:
            raise refuse("PB402", f"this cannot be formatted: {error}", frame.span(node)) from None
    made = frame.build.emit("format", (Literal(template), *values), frame.span(node), kind="value", name=name)
    frame.build.texts.add(made)
    return made


def _field(frame: Frame, part: ast.FormattedValue) -> str:
    conversion = f"!{chr(part.conversion)}" if part.conversion != -1 else ""
    if part.format_spec is None:
        return f"{{{conversion}}}"
    written = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
    if not all(isinstance(item, ast.Constant) for item in written):
        raise refuse(
            "PB402", "a format that is computed is outside of the formula language", frame.span(part)
        )
    return (
        f"{{{conversion}:{''.join(str(item.value) for item in written if isinstance(item, ast.Constant))}}}"
    )


def always_raises(body: Sequence[ast.stmt]) -> bool:
    """Whether statements raise before they can return or fall through."""
    for node in body:
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.If) and always_raises(node.body) and always_raises(node.orelse):
            return True
        if may_leave([node]):
            return False
    return False


def may_leave(body: Sequence[ast.stmt]) -> bool:
    """Whether statements may return, or leave the turn of the loop that they stand in."""
    for node in body:
        if isinstance(node, ast.Break | ast.Continue):
            return True
        if isinstance(node, ast.If) and (may_leave(node.body) or may_leave(node.orelse)):
            return True
    return may_return(body)


def may_return(body: Sequence[ast.stmt]) -> bool:
    """Whether a statement, nested functions left out, may return."""
    for node in body:
        if isinstance(node, ast.Return):
            return True
        if isinstance(node, ast.If | ast.For) and (may_return(node.body) or may_return(node.orelse)):
            return True
    return False
