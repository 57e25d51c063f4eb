"""``a, b = value``: as many values as there are names, or a ValueError as in Python."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...analysis.unpacking import count_of, message
from ...ir import Atom, Block, Eqn, Literal, Var
from ..state.values import Frame, Value, elements
from ..syntax.fence import refuse


def unpack(frame: Frame, value: Value, names: Sequence[str | None], node: ast.expr) -> tuple[Value, ...]:
    """The values for `names`; where how many there are is known at run time only, it is checked there."""
    known = elements(value)
    span = frame.span(node)
    if known is not None:
        if len(known) != len(names):
            hint = "a name for each value; `_` for those that are not used"
            problem = f"{len(known)} values are unpacked into {len(names)} names"
            raise refuse("PB401", problem, span, hint=hint)
        return known
    if not isinstance(value, Var):
        raise refuse("PB401", "this cannot be unpacked", span)
    build = frame.build
    places = [(Literal(place), name) for place, name in enumerate(names)]
    if value in build.opaque:
        return tuple(build.emit("item", (value, place), span, name=name) for place, name in places)
    _check_length(frame, value, len(names), node)
    if value.kind == "value":
        return tuple(build.metadata("item", (value, place), span, name) for place, name in places)
    if value.kind == "list":
        return tuple(build.emit("item", (value, place), span, name=name) for place, name in places)
    return tuple(
        build.emit("getitem", (value,), span, kwargs=(("index", place),), name=name) for place, name in places
    )


def _check_length(frame: Frame, value: Var, count: int, node: ast.expr) -> None:
    """Add a conditional that raises where there are not as many values as names."""
    build, span = frame.build, frame.span(node)
    made = build.made.get(value)
    if made is not None and (made.op == "contract_gradients" or count_of(made, build.made) == count):
        return  # one for each array, which the text itself shows
    if value.kind == "tensor":
        shape = build.metadata("shape", (value,), span)
        length: Atom = build.metadata("item", (shape, Literal(0)), span)
    else:
        length = build.emit("len", (value,), span, kind="value")
    differs = build.emit("not_equal", (length, Literal(count)), span, kind="value")
    with build.block() as eqns:
        text = build.emit("format", (Literal(message(count)), length), span, kind="value")
        build.texts.add(text)
        build.add(Eqn((), "raise", (text,), (("exception", Literal("ValueError")),), (), span))
    build.add(Eqn((), "if", (differs,), (), (Block((), tuple(eqns), ()), Block((), (), ())), span))
