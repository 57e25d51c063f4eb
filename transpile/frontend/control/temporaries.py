"""The values of ``y[0], y[1] = y[1], y[0]`` that no name holds while the parts before them are written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...ir import Atom, Literal, Var
from ..expressions.branches import choose
from ..state.aliases import names_an_entry
from ..state.mutation import view_of
from ..state.values import Frame, Poison, Value
from ..syntax.fence import refuse


def in_order(frame: Frame, parts: Sequence[Value], targets: Sequence[ast.expr]) -> Iterator[Value]:
    """The value for each target, when its turn comes: a view has what the targets before it wrote."""
    if not any(isinstance(node, ast.Subscript) for target in targets for node in ast.walk(target)):
        yield from parts
        return
    views = [view_of(frame, part) if isinstance(part, Var) else None for part in parts]
    text = ", ".join(map(ast.unparse, targets))
    names = [f"value {place} of {text}" for place in range(1, len(parts) + 1)]
    frame.local.update(zip(names, parts, strict=True))
    try:
        for name, part, view, target in zip(names, parts, views, targets, strict=True):
            held = frame.local.pop(name)
            if isinstance(held, Poison) and isinstance(part, Var) and view is not None:
                yield _read_again(frame, part, view[1:], target)
            elif isinstance(held, Poison):
                raise refuse(
                    held.code,
                    f"`{name}` {held.why}",
                    frame.span(target),
                    hint="copy it on the right: `y[0].copy()`",
                )
            else:
                yield held
    finally:
        for name in names:
            frame.local.pop(name, None)


def _read_again(frame: Frame, part: Var, view: tuple[str, Atom], node: ast.expr) -> Value:
    """The view of an array after a write; an entry, which is a number, is what it was."""
    name, index = view
    build, span = frame.build, frame.span(node)

    def again() -> Var:
        whole = frame.local[name]
        assert isinstance(whole, Var)
        return build.emit("getitem", (whole,), span, kwargs=(("index", index),))

    if not names_an_entry(build, index):
        return again()
    axes = build.metadata("ndim", (part,), span)
    is_number = build.emit("equal", (axes, Literal(0)), span, kind="value")
    return choose(frame, is_number, lambda: part, again, node)
