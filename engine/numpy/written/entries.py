"""Functions entry by entry that have several results, or are others for real numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.special

from ...calls.call import arrays, call, operators
from ...primitives.complex_parts import imaginary
from ..signatures.arguments import cast
from .table import formulas, stands_for


@stands_for(np.conj)
def conj(x: Any, /) -> Any:
    """As `np.conj`: a real number is its own conjugate."""
    if x.dtype.kind == "b":
        return x.astype(np.int8)  # NumPy has no loop for bools
    return x if x.dtype.kind != "c" else operators.conj(x)


@stands_for(np.real)
def real(val: Any) -> Any:
    """As `np.real`; the part of complex values is read-only, for a write would not reach them."""
    return val if val.dtype.kind != "c" else _part(operators.real(val))


@stands_for(np.imag)
def imag(val: Any) -> Any:
    """As `np.imag`: zeros of a real array; the part of complex values is read-only."""
    if val.dtype.kind == "c":
        return _part(operators.imag(val))
    return val.__array_namespace__().asarray(np.imag(arrays(val)))


def _part(values: Any) -> Any:
    values._array.flags.writeable = False
    return values


@stands_for(np.divmod)
def divmod(x1: Any, x2: Any, /) -> tuple[Any, Any]:
    """As `np.divmod`: the floored quotient, constant between its jumps, and the remainder."""
    quotient, remainder = formulas.quotient_and_remainder(x1, x2)
    return quotient, remainder


@stands_for(np.modf)
def modf(x: Any, /) -> tuple[Any, Any]:
    """As `np.modf`: the fraction and the whole number, which is constant between its jumps."""
    if x.dtype.kind in "biu":
        x = x.astype(np.modf.resolve_dtypes((x.dtype, None, None))[0])
    fraction, whole = formulas.fraction_and_whole(x)
    return fraction, whole


@stands_for(np.nan_to_num)
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """As `np.nan_to_num`: of complex values both parts; a copy where all entries are finite."""
    if x.dtype.kind in "fc" and np.count_nonzero(np.isfinite(arrays(x))) == x.size:
        return operators.positive(x)
    if x.dtype.kind == "c":
        real, imag = (nan_to_num(part, nan=nan, posinf=posinf, neginf=neginf) for part in (x.real, x.imag))
        return real + imaginary(imag)
    return formulas.nan_to_num(x, copy, nan, posinf, neginf)


@stands_for(np.frexp)
def frexp(x: Any, /) -> tuple[Any, Any]:
    """As `np.frexp`: mantissa and exponent, which is constant between its jumps."""
    _, exponent = np.frexp(arrays(x))
    return ldexp(x, -exponent), x.__array_namespace__().asarray(exponent)


@stands_for(np.ldexp)
def ldexp(x1: Any, x2: Any, /) -> Any:
    """As `np.ldexp`: times a power of two, by as many factors as are in the range of the dtype."""
    if type(x2) is int and abs(x2) < 100 and getattr(x1, "dtype", None) in ("f4", "f8"):
        return x1 * 2.0**x2
    one, left = np.ldexp(np.ones((), getattr(x1, "dtype", float)), 0), arrays(x2)
    limits = np.finfo(one.dtype)
    for _ in range(3):  # what is left then leads from any number to zero, or out of the range
        step = np.clip(left, limits.minexp, limits.maxexp - 1)
        x1, left = x1 * np.ldexp(one, step), left - step
        if not np.any(left):
            break
    return x1


@stands_for(np.float_power)
def float_power(x1: Any, x2: Any, /) -> Any:
    """As `np.float_power`: a power in float64."""
    x1, x2 = (x if hasattr(x, "dtype") else np.asarray(x) for x in (x1, x2))
    dtype = _in_float64(x1.dtype, x2.dtype)
    return operators.power(cast(x1, dtype), cast(x2, dtype))


@cache
def _in_float64(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    return np.result_type(*dtypes, np.float64)


@stands_for(np.i0)
def i0(x: Any) -> Any:
    """As `np.i0`: the modified Bessel function of order 0."""
    found = scipy.special.i0(x)
    return found.astype(x.dtype) if x.dtype.kind == "f" and found.dtype != x.dtype else found


def _of_order(op: str, target: Any) -> None:
    """A Bessel function whose order, the first operand, takes no gradient."""

    def function(v: Any, z: Any, /) -> Any:
        return call(op, z, order=v)

    function.__doc__ = f"As `scipy.special.{target.__name__}`, differentiable in the second operand."
    stands_for(target)(function)


_of_order("bessel_j", scipy.special.jv)
_of_order("bessel_i", scipy.special.iv)
