"""Operators that reduce or accumulate along axes."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import Dtype, Widening, widen
from ..ir.types import Shape, TensorType, Type, Unranked, axes_in, held_shape, join_shapes, reduced_shape
from .call import Call, Rule, joined_dtype
from .info import OperatorInfo


def axes_of(call: Call, default: object = None) -> tuple[bool, tuple[int, ...] | None]:
    """True and the axes where they are constants, None for all of them; else False and None."""
    known, value = call.fixed("axis", default)
    if not known:
        return False, None
    if value is None:
        return True, None
    axes = (value,) if type(value) is int else value
    if not isinstance(axes, tuple) or not all(type(axis) is int for axis in axes):
        return False, None
    return True, axes


def _reduced(call: Call, a: TensorType) -> Shape | None:
    known, axes = axes_of(call)
    fixed, keepdims = call.fixed("keepdims", False)
    if fixed and keepdims and not known:
        return held_shape(call.name, a.shape)
    if not known or not fixed:
        return None
    return reduced_shape(a.shape, axes, bool(keepdims))


def reduction(by: Widening | None, dtype: Dtype | None = None, real: bool = False) -> Rule:
    """A reduction over axes, which widens its operand's dtype so, or has this one."""

    def rule(call: Call) -> Type:
        a = call.operand(0)
        if a is None:
            return call.tensor(None, dtype)
        made = dtype
        if made is None:
            made = a.dtype if by is None else widen(by, a.dtype)
        if real and made is not None:
            made = widen("real", made)
        return call.tensor(_reduced(call, a), made)

    return rule


def along(by: Widening | None, default: int | None, dtype: Dtype | None = None) -> Rule:
    """The rule of results with the operand's shape, or of one axis where all entries are taken as one."""

    def rule(call: Call) -> Type:
        a = call.operand(0)
        if a is None:
            return call.tensor(None, dtype)
        made = dtype
        if made is None:
            made = a.dtype if by is None else widen(by, a.dtype)
        known, axes = axes_of(call, default)
        if not known:
            return call.tensor(None, made)
        if axes is None:
            return call.tensor((call.size(0),), made)
        if isinstance(a.shape, tuple):
            axes_in(axes, len(a.shape))
        return call.tensor(a.shape, made)

    return rule


def _norm(call: Call) -> Type:
    found = reduction("divide", real=True)(call)
    assert isinstance(found, TensorType)
    a = call.operand(0)
    of_all = a is None or (call.fixed("axis") == (True, None) and isinstance(a.shape, Unranked))
    if of_all and call.fixed("ord")[1] and not call.fixed("keepdims", False)[1]:  # of a matrix, or of rows
        return call.tensor(None, found.dtype)
    return found


def _recurrence(call: Call) -> Type:
    a, b = call.operand(0), call.operand(1)
    shape = None if a is None or b is None else join_shapes([a.shape, b.shape])
    return call.tensor(shape, joined_dtype(call.operands))


def _sorted_places(call: Call) -> Type:
    v = call.operand(1)
    return call.tensor(() if v is None else v.shape, "int64")


def _over(
    name: str, rule: Rule, *attrs: str, python: str = "", operand: str = "a", **facts: Any
) -> OperatorInfo:
    """A reduction over `axis`, of NumPy's name and torch's."""
    facts = {"torch": f"torch.{name}", "methods": (name,), **facts}
    attrs = ("axis", *attrs, "keepdims")
    return OperatorInfo(
        name, python or f"numpy.{name}", (operand,), attrs, kind="reduction", type=rule, **facts
    )


def _order(name: str, *attrs: str, operands: tuple[str, ...] = ("a",), **facts: Any) -> OperatorInfo:
    """A function whose results are positions."""
    facts = {"derivative": "zero", "dtype": "int", "methods": (name,), **facts}
    return OperatorInfo(name, f"numpy.{name}", operands, attrs, **facts)


def _running(name: str) -> OperatorInfo:
    """The positions of running extremes."""
    return OperatorInfo(
        name, f"pullback.primitives.{name}", ("a",), ("axis",), kind="scan", derivative="zero", dtype="int",
        type=along(None, 0, "int64"),
    )  # fmt: skip


OPERATORS: tuple[OperatorInfo, ...] = (
    _over("sum", reduction("sum"), linear=(0,)),
    _over("mean", reduction("divide"), dtype="float", linear=(0,)),
    _over("max", reduction(None), spelling=("numpy.amax",), torch="torch.amax"),
    _over("min", reduction(None), spelling=("numpy.amin",), torch="torch.amin"),
    _over("prod", reduction("sum")),
    _over("var", reduction("divide", real=True), "ddof", dtype="float", torch=""),
    _over("std", reduction("divide", real=True), "ddof", dtype="float", torch=""),
    OperatorInfo(
        "norm", "numpy.linalg.norm", ("x",), ("ord", "axis", "keepdims"), kind="reduction",
        dtype="float", type=_norm, torch="torch.linalg.norm",
    ),
    OperatorInfo(
        "cumsum", "numpy.cumsum", ("a",), ("axis",), kind="scan", linear=(0,), methods=("cumsum",),
        type=along("sum", None), torch="torch.cumsum",
    ),
    OperatorInfo(
        "cumprod", "numpy.cumprod", ("a",), ("axis",), kind="scan", methods=("cumprod",),
        type=along("sum", None), torch="torch.cumprod",
    ),
    OperatorInfo(
        "linear_recurrence", "pullback.primitives.linear_recurrence", ("a", "b"), ("reverse",), kind="scan",
        linear=(1,), type=_recurrence,
    ),
    OperatorInfo("sort", "numpy.sort", ("a",), ("axis",), kind="scan", type=along(None, -1)),
    _order("argsort", "axis", "kind", kind="scan", type=along(None, -1, "int64"), torch="torch.argsort"),
    _running("argcummax"), _running("argcummin"),
    _order("argpartition", "kth", "axis", kind="scan", type=along(None, -1, "int64")),
    _order(
        "searchsorted", "side", "sorter", operands=("a", "v"), type=_sorted_places, torch="torch.searchsorted"
    ),
    _over("argmax", reduction(None, "int64"), derivative="zero", dtype="int"),
    _over("argmin", reduction(None, "int64"), derivative="zero", dtype="int"),
    _over("all", reduction(None, "bool"), derivative="zero", dtype="bool"),
    _over("any", reduction(None, "bool"), derivative="zero", dtype="bool"),
)  # fmt: skip
