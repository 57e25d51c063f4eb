"""Python's own functions of sequences whose elements are known while reading."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ..ir import Literal
from .fence import refuse
from .frame import Frame
from .values import Growing, Items, Value, elements

Add = Callable[[Value, Value], Value]


def of_known(frame: Frame, name: str, given: Sequence[Value], node: ast.Call, add: Add) -> Value | None:
    """The value of ``zip``, ``enumerate``, ``reversed``, ``list`` or ``sum``; None for another function.

    `add` is the formula's ``+``.
    """
    if name not in ("zip", "enumerate", "reversed", "list", "sum"):
        return None
    known = [elements(value) for value in given]
    lists = [items for items in known if items is not None]
    if len(lists) != len(given) or (name != "zip" and len(given) > 1):
        raise refuse("PB402", f"`{name}` needs tuples that are written out", frame.span(node), value=name)
    if name == "zip":
        return Items(tuple(Items(row) for row in zip(*lists, strict=False)))
    first = lists[0] if lists else ()
    if name == "enumerate":
        return Items(tuple(Items((Literal(index), item)) for index, item in enumerate(first)))
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
