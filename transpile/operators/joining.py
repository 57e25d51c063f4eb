"""Operators that make one array of a list of arrays, and a list of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..ir.type_joins import read_element
from ..ir.types import (
    Dim,
    ListType,
    Ranked,
    Shape,
    Type,
    TypeMistake,
    axes_in,
    ranked,
    stacked_shape,
)
from .call import Call, Rule, joined_dtype
from .info import OperatorInfo


def _concatenate(call: Call) -> Type:
    known, axis = call.fixed("axis", 0)
    dtype = joined_dtype(call.list().items)
    if known and axis is None:
        return call.tensor((call.size(0),), dtype)
    shapes, place = _shapes(call), axis if type(axis) is int else None
    return call.tensor(None if shapes is None else _joined(call, shapes, place), dtype)


def _stack(call: Call) -> Type:
    shapes, axis = _shapes(call), call.whole("axis", 0)
    dtype = joined_dtype(call.list().items)
    if shapes is None or axis is None:
        return call.tensor(None if shapes is None else ranked(call.name, len(shapes[0]) + 1), dtype)
    (place,) = axes_in((axis,), len(shapes[0]) + 1)
    length: Dim = len(shapes) if call.list().items else call.size(place)
    dims = [_same(sizes) for sizes in zip(*shapes, strict=True)]
    return call.tensor((*dims[:place], length, *dims[place:]), dtype)


def _of_rows(call: Call) -> Type:
    """vstack: numbers and vectors are rows."""
    shapes = _shapes(call, same=False)
    rows: list[Ranked] = [shape if len(shape) > 1 else (1, *(shape or (1,))) for shape in shapes or ()]
    shape = _joined(call, _of_one_rank(rows), 0) if rows else None
    return call.tensor(shape, joined_dtype(call.list().items))


def _of_columns(call: Call) -> Type:
    """hstack: numbers are vectors, which follow each other; of others the columns do."""
    shapes = [shape or (1,) for shape in _shapes(call, same=False) or ()]
    axis = 0 if shapes and len(shapes[0]) == 1 else 1
    shape = _joined(call, _of_one_rank(shapes), axis) if shapes else None
    return call.tensor(shape, joined_dtype(call.list().items))


def _shapes(call: Call, same: bool = True) -> list[Ranked] | None:
    """The shapes of the list's elements, where they are known; all of one rank, if that is the `same`."""
    given = call.list()
    items = given.items or (() if given.element is None else (given.element,))
    shapes = [item.shape for item in items if isinstance(item.shape, tuple)]
    if not shapes or (len(shapes) < len(items) and not same):
        return None
    if not same:
        return shapes
    rank = len(_of_one_rank(shapes)[0])
    names = (ranked(f"{call.name}.{k}", rank) for k in range(len(items)))
    return [
        item.shape if isinstance(item.shape, tuple) else name for item, name in zip(items, names, strict=True)
    ]


def _of_one_rank(shapes: list[Ranked]) -> list[Ranked]:
    ranks = sorted({len(shape) for shape in shapes})
    if len(ranks) > 1:
        raise TypeMistake(f"arrays of {ranks[0]} and of {ranks[1]} axes")
    return shapes


def _joined(call: Call, shapes: Sequence[Ranked], axis: int | None) -> Shape:
    """The shape of arrays one after the other."""
    if axis is None:
        return ranked(call.name, len(shapes[0]))
    (place,) = axes_in((axis,), len(shapes[0]))
    parts = [shape[place] for shape in shapes]
    whole = [part for part in parts if isinstance(part, int)]
    written = call.list().items and len(whole) == len(parts)
    length = sum(whole) if written else call.size(place)
    dims = [_same(sizes) for sizes in zip(*(shape[:place] for shape in shapes), strict=True)]
    dims += [length, *(_same(sizes) for sizes in zip(*(shape[place + 1 :] for shape in shapes), strict=True))]
    return tuple(dims)


def _same(sizes: Iterable[Dim]) -> Dim:
    """The size that arrays have in common, a number where one is known."""
    sizes = tuple(sizes)
    known = sorted({size for size in sizes if isinstance(size, int)})
    if len(known) > 1:
        raise TypeMistake(f"sizes {known[0]} and {known[1]} along an axis on which arrays must agree")
    return known[0] if known else sizes[0]


def _collect(call: Call) -> Type:
    """The elements of a list that a loop has made, which are of one shape."""
    found = call.list()
    if found.element is None:
        return call.unknown()
    element, count = read_element(found, call.name), found.count
    assert element is not None
    return call.tensor(stacked_shape(element.shape, call.size(0) if count is None else count), element.dtype)


def _stacked(call: Call) -> Type:
    """A line of numbers where the elements are numbers; an empty list of others has another rank."""
    element = call.list().element
    if element is None or element.shape != ():
        return call.unknown()
    return call.tensor((call.size(0),), element.dtype if element.dtype == "float64" else None)


def _like(call: Call) -> Type:
    return call.like() or call.unknown()


def _likes(call: Call) -> Type:
    return call.likes()


def _appended(call: Call) -> Type:
    values = call.list()
    return ListType(values.element) if values.element == call.operands[1] else ListType()


def _join(
    name: str, *attrs: str, python: str = "", operand: str = "arrays", type: Rule | None = None, **facts: Any
) -> OperatorInfo:
    """One array of a list."""
    return OperatorInfo(
        name, python or f"pullback.primitives.{name}", (operand,), attrs, linear=(0,), jointly=True,
        variadic=True, type=type, **facts,
    )  # fmt: skip


def _to_list(name: str, *attrs: str, operand: str = "x", type: Rule = _likes) -> OperatorInfo:
    """A list of one array, or of a list."""
    return OperatorInfo(
        name, f"pullback.primitives.{name}", (operand,), attrs, linear=(0,), gives_list=True, type=type
    )


OPERATORS: tuple[OperatorInfo, ...] = (
    _join(
        "concatenate", "axis", python="numpy.concatenate", spelling=("numpy.concat",),
        type=_concatenate, torch="torch.cat",
    ),
    _join("stack", "axis", python="numpy.stack", type=_stack, torch="torch.stack"),
    _join("vstack", python="numpy.vstack", operand="tup", type=_of_rows, torch="torch.vstack"),
    _join("hstack", python="numpy.hstack", operand="tup", type=_of_columns, torch="torch.hstack"),
    _join("collect", type=_collect),
    _join("stacked", type=_stacked),
    _join("collect_flat", type=lambda call: call.tensor((call.size(0),), None)),
    _to_list("split_like", "likes", "axis"),
    _join("join_like", "like", "axis", type=_like),
    _to_list("unitem", "index", "likes", operand="a"),
    OperatorInfo(
        "zeros_list", "pullback.primitives.zeros_list", (), ("likes",), derivative="zero", gives_list=True,
        type=_likes,
    ),
    OperatorInfo(
        "appended", "pullback.primitives.appended", ("values", "x"), linear=(0, 1), jointly=True,
        gives_list=True, type=_appended,
    ),
    _to_list("without_last", operand="values", type=lambda call: ListType(call.list().element)),
    _to_list("unstack_like", "likes", "axis"),
)  # fmt: skip
