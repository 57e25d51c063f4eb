"""``x[...]``: elements of tensors, shapes, tuples and lists."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Atom, Literal, Var
from ..state.atoms import atom
from ..state.growing import is_list, new_list
from ..state.kinds import check_index, is_tuple
from ..state.readers import operand, read
from ..state.values import Dotted, Frame, Growing, Items, Keyed, Value, elements
from ..syntax.fence import refuse
from .dictionaries import entry
from .joined_by_index import GRIDS, JOINS, read_grid, read_joined
from .list_parts import part_of_list
from .templates import read_template


def read_subscript(frame: Frame, node: ast.Subscript, name: str | None) -> Value:
    """An element, or a part, of a value."""
    base = read(frame, node.value)
    if isinstance(base, Dotted) and base.name in JOINS:
        return read_joined(frame, base, node, name)
    if isinstance(base, Dotted) and base.name in GRIDS:
        return read_grid(frame, base, node)
    if isinstance(base, Keyed):
        return entry(frame, base, node)
    known = elements(base)
    if known is not None:
        part = _known(frame, known, node, name)
        sliced = isinstance(base, Growing) and isinstance(node.slice, ast.Slice)
        return new_list(frame, list(elements(part) or ())) if sliced else part
    if not isinstance(base, Var) or base in frame.build.numbers:
        raise refuse("PB402", "this has no elements", frame.span(node), hint="a number has none")
    if base.kind == "list" and isinstance(node.slice, ast.Slice):
        return part_of_list(frame, base, node.slice)
    index = read_index(frame, node.slice)
    span = frame.span(node)
    if base.kind == "tensor":
        return frame.build.emit("getitem", (base,), span, kwargs=(("index", index),), name=name)
    if base.kind == "list":
        return frame.build.emit("item", (base, index), span, name=name)
    return frame.build.metadata("item", (base, index), span, name)


def _known(frame: Frame, known: tuple[Value, ...], node: ast.Subscript, name: str | None) -> Value:
    span = frame.span(node)
    if isinstance(node.slice, ast.Slice):
        bounds = [
            _literal_bound(frame, part) for part in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        if bounds[2] != 0:
            return Items(known[slice(*bounds)])
        raise refuse("PB402", "a slice's step is 0", span)
    index = operand(frame, node.slice)
    if isinstance(index, Literal) and isinstance(index.value, int):
        if -len(known) <= index.value < len(known):
            return known[index.value]
        raise refuse("PB402", f"there are {len(known)} elements, and no element {index.value}", span)
    check_index(frame, index, node.slice)
    whole = atom(frame, Items(known), node)
    single = isinstance(index, Var) and index.kind == "value" and not is_tuple(frame, index)
    if not single or not known:
        message = "the index must be a number that is known when the formula is read"
        raise refuse("PB402", message, frame.span(node.slice))
    if isinstance(whole, Literal) or whole.kind == "value":
        return frame.build.metadata("item", (whole, index), span, name)
    return frame.build.emit("item", (whole, index), span, name=name)


def _literal_bound(frame: Frame, node: ast.expr | None) -> int | None:
    if node is None:
        return None
    bound = operand(frame, node)
    if isinstance(bound, Literal) and (bound.value is None or isinstance(bound.value, int)):
        return bound.value
    raise refuse(
        "PB402", "the bound must be a number that is known when the formula is read", frame.span(node)
    )


def read_index(frame: Frame, node: ast.expr) -> Atom:
    """The operand for what stands between the brackets."""
    if isinstance(node, ast.Slice):
        parts = (node.lower, node.upper, node.step)
        bounds = [Literal(None) if part is None else operand(frame, part) for part in parts]
        for bound, part in zip(bounds, parts, strict=True):
            if part is not None:
                check_index(frame, bound, part)
        return frame.build.emit("slice", bounds, frame.span(node), kind="value")
    if isinstance(node, ast.Tuple):
        return indexed(frame, tuple(read_index(frame, item) for item in node.elts), node)
    value = read(frame, node)
    if isinstance(value, Items):
        return indexed(frame, value.items, node)
    found = atom(frame, place_of_list(frame, value, node), node)
    check_index(frame, found, node)
    if isinstance(found, Var) and found.kind != "value":
        frame.build.arrays.add(found)
    return found


def place_of_list(frame: Frame, value: Value, node: ast.expr) -> Value:
    """The array that NumPy makes of a list of numbers which is an index; another index as it is."""
    listed = isinstance(value, Var) and (value in frame.build.listed_numbers or is_list(frame, value))
    if listed or isinstance(value, Growing):
        return read_template(frame, "found = array(xs)", {"xs": value}, node)
    return value


def indexed(frame: Frame, items: Sequence[Value], node: ast.AST) -> Atom:
    """The operand for a tuple of positions, of which some may be arrays."""
    parts = [atom(frame, item, node) for item in items]
    if not any(isinstance(part, Var) and part.kind != "value" for part in parts):
        return atom(frame, Items(tuple(parts)), node)
    index = frame.build.emit("tuple", parts, frame.span(node), kind="value")
    frame.build.arrays.add(index)
    return index
