"""Types of operators that reduce or run along axes."""

from __future__ import annotations

from ...ir.dtypes import Dtype, Widening, widen
from ...ir.types import Shape, TensorType, Type, Unranked, axes_in, reduced_shape
from .call import Call, Rule


def _axes(call: Call, default: object = None) -> tuple[bool, tuple[int, ...] | None]:
    """Whether the axes are constants, and which; None are all of them."""
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
    known, axes = _axes(call)
    fixed, keepdims = call.fixed("keepdims", False)
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
    """What keeps its operand's shape, unless it runs over all entries as over one axis."""

    def rule(call: Call) -> Type:
        a = call.operand(0)
        if a is None:
            return call.tensor(None, dtype)
        made = dtype
        if made is None:
            made = a.dtype if by is None else widen(by, a.dtype)
        known, axes = _axes(call, default)
        if not known:
            return call.tensor(None, made)
        if axes is None:
            return call.tensor((call.size(0),), made)
        if isinstance(a.shape, tuple):
            axes_in(axes, len(a.shape))
        return call.tensor(a.shape, made)

    return rule


def _of_rows(call: Call) -> Type:
    """softmax and log_softmax: the operand's shape, over whatever axes."""
    a = call.operand(0)
    if a is None:
        return call.unknown()
    known, axes = _axes(call)
    if known and axes is not None and isinstance(a.shape, tuple):
        axes_in(axes, len(a.shape))
    return call.tensor(a.shape, widen("special", a.dtype))


def _norm(call: Call) -> Type:
    known, axis = call.fixed("axis")
    found = reduction("divide", real=True)(call)
    assert isinstance(found, TensorType)
    a = call.operand(0)
    if a is None or not known or (axis is None and isinstance(a.shape, Unranked) and call.fixed("ord")[1]):
        return call.tensor(None, found.dtype)
    return found


RULES: dict[str, Rule] = {
    "sum": reduction("sum"),
    "prod": reduction("sum"),
    "mean": reduction("divide"),
    "max": reduction(None),
    "min": reduction(None),
    "var": reduction("divide", real=True),
    "std": reduction("divide", real=True),
    "norm": _norm,
    "logsumexp": reduction("special"),
    "argmax": reduction(None, "int64"),
    "argmin": reduction(None, "int64"),
    "all": reduction(None, "bool"),
    "any": reduction(None, "bool"),
    "cumsum": along("sum", None),
    "cumprod": along("sum", None),
    "sort": along(None, -1),
    "argsort": along(None, -1, "int64"),
    "argpartition": along(None, -1, "int64"),
    "softmax": _of_rows,
    "log_softmax": _of_rows,
}
