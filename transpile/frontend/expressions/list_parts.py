"""``xs[1:]``, ``xs[:-1]``, ``xs[::-1]`` of a list of a length that only the run knows: a loop over places."""

from __future__ import annotations

import ast

from ...ir import Literal, Var
from ..state.readers import operand
from ..state.values import Frame, Value
from ..syntax.fence import refuse
from .templates import read_template

# The elements between places that only the run knows; negative ones count from the end.
_START = "start = min(first, len(xs)) if first >= 0 else max(first + len(xs), 0)\n"
_FROM = f"{_START}found = [xs[start + k] for k in range(len(xs) - start)]"
_BETWEEN = (
    f"{_START}stop = min(last, len(xs)) if last >= 0 else last + len(xs)\n"
    "found = [xs[start + k] for k in range(max(stop - start, 0))]"
)


def part_of_list(frame: Frame, items: Var, node: ast.Slice) -> Value:
    """The elements of a slice whose step is 1, or -1 for all of them."""
    step = _written(frame, node.step, node)
    first, last = (
        Literal(None) if bound is None else operand(frame, bound) for bound in (node.lower, node.upper)
    )
    if step in (None, 1) and (isinstance(first, Var) or isinstance(last, Var)):
        first = Literal(0) if first == Literal(None) else first
        held: dict[str, Value] = {"xs": items, "first": first, "last": last}
        return read_template(frame, _FROM if last == Literal(None) else _BETWEEN, held, node)
    start, stop = (_written(frame, bound, node) for bound in (node.lower, node.upper))
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
    return read_template(frame, f"found = [xs[{place}] for k in range({count})]", {"xs": items}, node)


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
