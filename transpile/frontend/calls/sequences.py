"""Python's own functions of sequences whose elements are known while reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...ir import Literal, Var
from ...operators import instead_of
from ..expressions.templates import read_template
from ..state.values import Frame, Growing, Items, Value, elements, is_value
from ..syntax.fence import refuse
from .arguments import Arguments

Add = Callable[[Value, Value], Value]
_FUNCTIONS = frozenset({"zip", "enumerate", "reversed", "list", "sum"})
_KEYWORDS = {"enumerate": {"start"}, "zip": {"strict"}}


def of_known(frame: Frame, name: str, given: Arguments, add: Add) -> Value | None:
    """The value of ``zip``, ``enumerate``, ``reversed``, ``list`` or ``sum``; None for another function.

    `add` is the formula's ``+``.
    """
    if given.keywords.keys() - _KEYWORDS.get(name, set()) or name not in _FUNCTIONS:
        return None
    values, span = given.positional, frame.span(given.node)
    start = given.keywords.get("start")
    if name == "enumerate" and start is None and len(values) == 2:
        values, start = values[:1], values[1]
    if name == "sum" and len(values) == 1 and isinstance(values[0], Var) and is_value(values[0]):
        return None  # Python's own, of numbers
    if name == "reversed" and len(values) == 1 and values[0] in frame.build.tuples:
        return read_template(frame, "found = xs[::-1]", {"xs": values[0]}, given.node)
    known = [elements(value) for value in values]
    lists = [items for items in known if items is not None]
    if len(lists) != len(values) or (name != "zip" and len(values) > 1):
        message = f"`{name}` takes lists and tuples here, of elements that are known as the formula is read"
        raise refuse("PB402", message, span, value=name, hint=f"write {instead_of(name)}")
    if name == "zip":
        if given.keywords.get("strict", Literal(False)) != Literal(False) and len({*map(len, lists)}) > 1:
            raise refuse("PB402", "`zip` is strict, and these differ in length", span, value=name)
        return Items(tuple(Items(row) for row in zip(*lists, strict=False)))
    first = lists[0] if lists else ()
    if name == "enumerate":
        numbers: list[Value] = [Literal(place) for place in range(len(first))]
        numbers = numbers if start is None else [add(start, number) for number in numbers]
        return Items(tuple(map(Items, zip(numbers, first, strict=True))))
    if name == "sum":
        return _sum(first, add)
    if name == "reversed":
        return Items(tuple(reversed(first)))
    return Growing(list(first), frame.build.in_closure)


def _sum(items: Sequence[Value], add: Add) -> Value:
    if not items:
        return Literal(0)
    total = items[0]
    for item in items[1:]:
        total = add(total, item)
    return total
