"""Reductions and running sums: `dtype=`, `where=` and `initial=`.

A sum in another dtype is the sum of the cast operand. What `where=` leaves out
is replaced by what the reduction does not see (0 in a sum, 1 in a product); an
`initial=` value is one operand more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...calls.call import arrays, call, operators
from ...calls.out_argument import refuse_out
from ...calls.wide import wide
from .arguments import EVERYWHERE, MISSING, cast, masked, or_in_whole_numbers, squared_modulus


@wide("sum")
@or_in_whole_numbers(np.sum)
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = EVERYWHERE,
) -> Any:
    """As `np.sum`."""
    refuse_out("sum", out)
    total = operators.sum(cast(masked(a, where, 0), dtype), axis=axis, keepdims=keepdims)
    return total if initial is MISSING else total + cast(initial, total.dtype)


@wide("prod")
@or_in_whole_numbers(np.prod)
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = EVERYWHERE,
) -> Any:
    """As `np.prod`."""
    refuse_out("prod", out)
    product = operators.prod(cast(masked(a, where, 1), dtype), axis=axis, keepdims=keepdims)
    return product if initial is MISSING else product * cast(initial, product.dtype)


def _extremum(op: str, of_two: str, a: Any, axis: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    if initial is MISSING:
        if where is not EVERYWHERE:
            raise ValueError(f"np.{op} with where= needs initial=, the result where nothing is left")
        return call(op, a, axis=axis, keepdims=keepdims)
    initial = cast(initial, a.dtype)
    lengths = np.sum(np.empty(a.shape), axis=axis, keepdims=keepdims).shape
    if a.size == 0:
        return operators.broadcast_to(initial, shape=lengths)
    return call(of_two, call(op, masked(a, where, initial), axis=axis, keepdims=keepdims), initial)


@wide("max")
def max(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = EVERYWHERE,
) -> Any:
    """As `np.max`."""
    refuse_out("max", out)
    return _extremum("max", "maximum", a, axis, keepdims, initial, where)


@wide("min")
def min(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = EVERYWHERE,
) -> Any:
    """As `np.min`."""
    refuse_out("min", out)
    return _extremum("min", "minimum", a, axis, keepdims, initial, where)


def _count(a: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    """The number of entries in each mean."""
    return np.sum(np.broadcast_to(arrays(where), a.shape), axis=axis, keepdims=keepdims)


@wide("mean")
@or_in_whole_numbers(np.mean)
def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = EVERYWHERE,
) -> Any:
    """As `np.mean`."""
    refuse_out("mean", out)
    a = cast(a, dtype)
    if where is EVERYWHERE:
        return operators.mean(a, axis=axis, keepdims=keepdims)
    total = operators.sum(masked(a, where, 0), axis=axis, keepdims=keepdims)
    return _in_dtype(total / _count(a, axis, keepdims, where), a)


@wide("var")
@or_in_whole_numbers(np.var)
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = EVERYWHERE,
    mean: Any = MISSING,
    correction: Any = MISSING,
) -> Any:
    """As `np.var`; `correction` is the array API's name of `ddof`."""
    refuse_out("var", out)
    if mean is MISSING and _of_real_mean(a, dtype):
        mean = _mean(a, axis, dtype, keepdims=True, where=where)
        return cast(
            var(a, axis, None, None, ddof, keepdims, where=where, mean=mean, correction=correction), dtype
        )
    a = cast(a, dtype)
    ddof = _ddof("var", ddof, correction)
    if where is EVERYWHERE and mean is MISSING:
        return operators.var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    centre = _mean(a, axis, keepdims=True, where=where) if mean is MISSING else mean
    squares = masked(squared_modulus(a - centre), where, 0)
    terms = np.maximum(_count(a, axis, keepdims, where) - ddof, 0)
    return _in_dtype(operators.sum(squares, axis=axis, keepdims=keepdims) / terms, squares)


_mean = mean


def _of_real_mean(a: Any, dtype: Any) -> bool:
    """True of complex entries in a real type: NumPy warns, and drops that part of their mean."""
    return dtype is not None and np.iscomplexobj(arrays(a)) and not np.issubdtype(dtype, np.complexfloating)


@wide("std")
@or_in_whole_numbers(np.std)
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = EVERYWHERE,
    mean: Any = MISSING,
    correction: Any = MISSING,
) -> Any:
    """As `np.std`; `correction` is the array API's name of `ddof`."""
    refuse_out("std", out)
    ddof = _ddof("std", ddof, correction)
    if where is EVERYWHERE and mean is MISSING and not _of_real_mean(a, dtype):
        return operators.std(cast(a, dtype), axis=axis, ddof=ddof, keepdims=keepdims)
    return root_of_variance(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean))


def root_of_variance(variance: Any) -> Any:
    """The square root, whose derivative where the variance is zero is taken as zero, as that of `np.std`."""
    nothing = arrays(variance) == 0
    if not nothing.any():
        return operators.sqrt(variance)
    return operators.where(nothing, 0.0, operators.sqrt(operators.where(nothing, 1.0, variance)))


def _ddof(name: str, ddof: float, correction: Any) -> float:
    if correction is MISSING:
        return ddof
    if ddof != 0:
        raise ValueError(f"ddof and correction can't be provided simultaneously to np.{name}.")
    return float(correction)


def _in_dtype(result: Any, a: Any) -> Any:
    """The result in the operand's dtype where that is a float: counts are whole numbers of 64 bits."""
    return cast(result, a.dtype) if a.dtype.kind in "fc" else result


@wide("cumsum")
@or_in_whole_numbers(np.cumsum)
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """As `np.cumsum`."""
    refuse_out("cumsum", out)
    return operators.cumsum(cast(a, dtype), axis=axis)


@wide("cumprod")
@or_in_whole_numbers(np.cumprod)
def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """As `np.cumprod`."""
    refuse_out("cumprod", out)
    return operators.cumprod(cast(a, dtype), axis=axis)
