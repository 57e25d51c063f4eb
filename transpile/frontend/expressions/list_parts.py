"""``xs[1:]``, ``xs[:-1]``, ``xs[::-1]`` of a list of a length that only the run knows: a loop over places."""

from __future__ import annotations

import ast

from ...ir import Literal, Var
from ..state.readers import operand, read
from ..state.values import Dotted, Frame, Value
from ..syntax.fence import refuse

# Names that no author can write.
_PART, _FUNCTIONS = "<part>", ("len", "min", "max", "range")


def part_of_list(frame: Frame, items: Var, node: ast.Slice) -> Value:
    """The elements of a slice whose bounds are numbers that are written, and whose step is 1 or -1."""
    start, stop, step = (_written(frame, bound, node) for bound in (node.lower, node.upper, node.step))
    if step == -1 and start is None and stop is None:
        return list_of_places(frame, items, "len(xs) - 1 - k", "len(xs)", node)
    if step not in (None, 1):
        raise _refused(frame, node)
    if start is not None and start < 0:
        count = f"min({-start}, len(xs))"
        if stop is not None:
            raise _refused(frame, node)
        return list_of_places(frame, items, f"k + len(xs) - {count}", count, node)
    end = "len(xs)" if stop is None else f"min({stop}, len(xs))" if stop >= 0 else f"len(xs) - {-stop}"
    return list_of_places(frame, items, f"k + {start or 0}", f"max({end} - {start or 0}, 0)", node)


def list_of_places(frame: Frame, items: Var, place: str, count: str, node: ast.expr) -> Value:
    """The list ``[xs[place] for k in range(count)]``, both written in `xs` and `k`."""
    names = {"xs": _PART, "k": "<place>", **{name: f"<{name}>" for name in _FUNCTIONS}}
    made = ast.parse(f"[xs[{place}] for k in range({count})]", mode="eval").body
    for part in ast.walk(made):
        if isinstance(part, ast.Name):
            part.id = names[part.id]
        if "lineno" in part._attributes:
            ast.copy_location(part, node)
    hidden: dict[str, Value] = {_PART: items}
    hidden |= {f"<{name}>": Dotted(name, name) for name in _FUNCTIONS}
    frame.local |= hidden
    try:
        return read(frame, made)
    finally:
        for name in hidden:
            frame.local.pop(name, None)


def _written(frame: Frame, bound: ast.expr | None, node: ast.Slice) -> int | None:
    value = Literal(None) if bound is None else operand(frame, bound)
    if isinstance(value, Literal) and (value.value is None or type(value.value) is int):
        return value.value
    raise _refused(frame, node)


def _refused(frame: Frame, node: ast.Slice) -> Exception:
    return refuse(
        "PB402",
        "such a part of a list of a length that is not known is outside of the formula language",
        frame.span(node),
        hint="loop over places: `[xs[k] for k in range(1, len(xs), 2)]`",
    )
