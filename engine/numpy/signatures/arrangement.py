"""Functions that arrange entries: `order=`, `copy=`, and attributes at NumPy's positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...calls.call import call, operators, unrecorded
from ...calls.out_argument import refuse_out
from ...calls.wide import wide
from ...core.dispatch import engine_of
from ...exchange.copying import duplicate
from ...transforms.forward_ad import differentiated
from .arguments import MISSING, cast, dtype_of, only, or_in_whole_numbers


@wide("reshape")
def reshape(a: Any, shape: Any = None, order: Any = "C", *, copy: bool | None = None) -> Any:
    """As `np.reshape`, in row-major ("C") or column-major ("F") order."""
    if order not in ("C", "F"):
        raise ValueError(f"np.reshape of a tensor takes order 'C' or 'F', not {order!r}")
    if copy is False:
        np.reshape(a._array, shape, order, copy=False)  # NumPy's error where that would need a copy
    if order == "F":
        backwards = np.shape(np.empty(a.shape, np.bool_).reshape(shape))[::-1]
        turned = operators.reshape(operators.transpose(a), shape=backwards)
        found = operators.transpose(turned)
    else:
        found = operators.reshape(a, shape=shape)
    return duplicate(found) if copy else found


def _in_same_kind(arrays: Sequence[Any], dtype: Any) -> list[Any]:
    """The arrays in a dtype of their kind, or of one that holds it. Raises TypeError of another."""
    for array in arrays if dtype is not None else ():
        if not np.can_cast(given := np.result_type(array), dtype, "same_kind"):
            raise TypeError(
                f"Cannot cast array data from {given!r} to {np.dtype(dtype)!r} by the rule 'same_kind'"
            )
    return [cast(array, dtype) for array in arrays]


@wide("concatenate")
def concatenate(
    arrays: Sequence[Any],
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """As `np.concatenate`."""
    refuse_out("concatenate", out)
    only("concatenate", casting=(casting, "same_kind"))
    return operators.concatenate(_in_same_kind(arrays, dtype), axis=axis)


@wide("stack")
def stack(
    arrays: Sequence[Any], axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """As `np.stack`."""
    refuse_out("stack", out)
    only("stack", casting=(casting, "same_kind"))
    return operators.stack(_in_same_kind(arrays, dtype), axis=axis)


def _joined(name: str) -> Callable[..., Any]:
    def function(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Any:
        only(name, casting=(casting, "same_kind"))
        return call(name, _in_same_kind(tup, dtype))

    function.__name__ = name
    return wide(name)(function)


_joined("vstack")
_joined("hstack")


@wide("astype")
def astype(
    x: Any,
    dtype: Any,
    order: str = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
    *,
    device: str | None = None,
) -> Any:
    """As `np.astype` and the method of arrays, which checks the cast."""
    only("astype", order=(order, "K"), subok=(subok, True), device=(device, device and "cpu"))
    dtype = dtype_of(dtype)
    if not np.can_cast(x.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to {dtype!r} by the rule {casting!r}")
    if x.dtype == dtype and not copy:
        return x
    return operators.astype(x, dtype=dtype)


@wide("full_like", always=True)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: str | None = None,
) -> Any:
    """As `np.full_like`; a value that requires grad takes the sum of the gradients."""
    if differentiated((fill_value,)):
        value = cast(fill_value, a.dtype if dtype is None else dtype)
        return duplicate(operators.broadcast_to(value, shape=a.shape if shape is None else shape))
    engine = engine_of(a, fill_value)
    assert engine is not None
    given = (a, fill_value, dtype, order, subok, shape)
    return unrecorded(engine, np.full_like, given, {"device": device})


@wide("expand_dims")
def expand_dims(a: Any, axis: Any = 0) -> Any:
    """As `np.expand_dims`; the array API's default is the first axis."""
    return operators.expand_dims(a, axis=axis)


@wide("where")
def where(condition: Any, x: Any = MISSING, y: Any = MISSING, /) -> Any:
    """As `np.where` of a condition alone: the indexes where it holds."""
    if x is not MISSING:
        raise ValueError("either both or neither of x and y should be given")
    return condition.nonzero()


@wide("outer")
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """As `np.outer`."""
    refuse_out("outer", out)
    return operators.outer(a, b)


@wide("trace")
@or_in_whole_numbers(np.trace)
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """As `np.trace`."""
    refuse_out("trace", out)
    return operators.sum(operators.diagonal(cast(a, dtype), offset=offset, axis1=axis1, axis2=axis2), axis=-1)
