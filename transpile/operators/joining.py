"""Operators that make one array of a list of arrays, and a list of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ir.types import Dim, Type, TypeMistake, axes_in
from .call import Call, Rule, joined_dtype
from .info import OperatorInfo


def _joined(stacked: bool) -> Rule:
    """concatenate and stack, of arrays whose numbers of axes are known."""

    def rule(call: Call) -> Type:
        given, axis = call.list(), call.whole("axis", 0)
        items = given.items or (() if given.element is None else (given.element,))
        shapes = [item.shape for item in items if isinstance(item.shape, tuple)]
        dtype = joined_dtype(given.items)
        if axis is None or not shapes or len(shapes) < len(items):
            return call.tensor(None, dtype)
        ranks = sorted({len(shape) for shape in shapes})
        if len(ranks) > 1:
            raise TypeMistake(f"arrays of {ranks[0]} and of {ranks[1]} axes")
        (place,) = axes_in((axis,), ranks[0] + stacked)
        length: Dim = call.size(place)
        if given.items:
            parts = [1 if stacked else shape[place] for shape in shapes]
            whole = [part for part in parts if isinstance(part, int)]
            length = sum(whole) if len(whole) == len(parts) else length
        dims = [
            length if k == place and not stacked else _same(sizes)
            for k, sizes in enumerate(zip(*shapes, strict=True))
        ]
        return call.tensor((*dims[:place], length, *dims[place:]) if stacked else tuple(dims), dtype)

    return rule


def _same(sizes: Iterable[Dim]) -> Dim:
    """The size that arrays have in common, a number where one is known."""
    sizes = tuple(sizes)
    known = sorted({size for size in sizes if isinstance(size, int)})
    if len(known) > 1:
        raise TypeMistake(f"sizes {known[0]} and {known[1]} along an axis on which arrays must agree")
    return known[0] if known else sizes[0]


def _join(
    name: str, *attrs: str, python: str = "", operand: str = "arrays", type: Rule | None = None, **facts: Any
) -> OperatorInfo:
    """One array of a list."""
    return OperatorInfo(
        name, python or f"pullback.primitives.{name}", (operand,), attrs, linear=(0,), jointly=True,
        variadic=True, type=type, **facts,
    )  # fmt: skip


def _to_list(name: str, *attrs: str, operand: str = "x") -> OperatorInfo:
    """A list of one array, or of a list."""
    return OperatorInfo(name, f"pullback.primitives.{name}", (operand,), attrs, linear=(0,), gives_list=True)


OPERATORS: tuple[OperatorInfo, ...] = (
    _join(
        "concatenate", "axis", python="numpy.concatenate", spelling=("numpy.concat",),
        type=_joined(stacked=False), torch="torch.cat",
    ),
    _join("stack", "axis", python="numpy.stack", type=_joined(stacked=True), torch="torch.stack"),
    _join("vstack", python="numpy.vstack", operand="tup", torch="torch.vstack"),
    _join("hstack", python="numpy.hstack", operand="tup", torch="torch.hstack"),
    _join("collect"),
    _join("collect_flat"),
    _to_list("split_like", "likes", "axis"),
    _join("join_like", "like", "axis"),
    _to_list("unitem", "index", "likes", operand="a"),
    OperatorInfo(
        "zeros_list", "pullback.primitives.zeros_list", (), ("likes",), derivative="zero", gives_list=True
    ),
    OperatorInfo(
        "appended", "pullback.primitives.appended", ("values", "x"), linear=(0, 1), jointly=True,
        gives_list=True,
    ),
    _to_list("without_last", operand="values"),
    _to_list("unstack_like", "likes", "axis"),
)  # fmt: skip
