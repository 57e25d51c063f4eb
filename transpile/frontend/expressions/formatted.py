"""Formatted strings of values: ``f"shape {x.shape}"``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Atom, Literal
from ..state.atoms import atom
from ..state.readers import read
from ..state.values import Frame, Value, is_value
from ..syntax.fence import refuse


def read_formatted(frame: Frame, node: ast.JoinedStr, name: str | None) -> Value:
    """``f"..."`` of values: one ``format`` equation, whose first operand is the template.

    The template is that of `str.format`, with a field per value: ``"shape {}, axis {!r:>3}"``.
    """
    template, values = [], []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            template.append(_field(frame, part))
            values.append(message_value(frame, part.value))
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


def message_value(frame: Frame, node: ast.expr) -> Atom:
    """A value that stands in a message."""
    value = read(frame, node)
    if not is_value(value):
        raise refuse(
            "PB402",
            "a tensor in an exception's message",
            frame.span(node),
            hint="name what is wrong with it: its shape, its dtype",
        )
    return atom(frame, value, node)
