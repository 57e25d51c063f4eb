"""What makes one array of a list of arrays, and a list of one."""

from __future__ import annotations

from typing import Any

from ..ir.types import Type, axes_in, join_dims
from .call import Call, Rule
from .info import OperatorInfo


def _joined(stacked: bool) -> Rule:
    """concatenate and stack, of lists whose elements have one known shape."""

    def rule(call: Call) -> Type:
        each = call.element()
        axis = call.whole("axis", 0)
        if each is None or axis is None or not isinstance(each.shape, tuple):
            return call.unknown()
        dims = list(each.shape)
        if stacked:
            (place,) = axes_in((axis,), len(dims) + 1)
            dims.insert(place, call.size(place))
        else:
            (place,) = axes_in((axis,), len(dims))
            dims[place] = call.size(place)
        return call.tensor(tuple(join_dims([dim]) for dim in dims), None)

    return rule


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
