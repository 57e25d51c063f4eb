"""Universal functions: `dtype=` casts the operands; layout and casting are as NumPy has them by default."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ....transpile.operators import OPERATORS
from ...calls.call import call, function_of, operators
from ...calls.out_argument import refuse_out
from ...calls.wide import wide
from .arguments import EVERYWHERE, MISSING, cast, dtype_of, only


def _ufunc(name: str) -> Callable[..., Any]:
    """The operator as a universal function takes its arguments."""
    count = len(OPERATORS[name].operands)

    def function(
        *args: Any,
        out: Any = None,
        where: Any = EVERYWHERE,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
    ) -> Any:
        operands, rest = args[:count], args[count:]
        refuse_out(name, rest[0] if rest else out)
        if casting != "same_kind" or order != "K" or subok is not True:
            only(name, casting=(casting, "same_kind"), order=(order, "K"), subok=(subok, True))
        if where is not EVERYWHERE:
            raise TypeError(
                f"where= in np.{name} without out= leaves values undefined; write np.where(mask, "
                f"np.{name}(...), other)"
            )
        if dtype is None:
            return call(name, *operands)
        loop = _loop(name, tuple(map(_kind, operands)), dtype_of(dtype))
        return call(name, *map(cast, operands, loop))

    function.__name__ = name
    return function


def _kind(operand: Any) -> Any:
    """The dtype of an operand, or the type of a Python number, which takes that of the others."""
    if hasattr(operand, "dtype"):
        return operand.dtype
    return type(operand) if type(operand) in (int, float, complex) else np.asarray(operand).dtype


@cache
def _loop(name: str, kinds: tuple[Any, ...], dtype: np.dtype[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes in which NumPy takes operands of these kinds for a result in this one.

    Raises TypeError where the function has no such result, or an operand would lose its kind.
    """
    ufunc: Any = function_of(name)
    resolved = ufunc.resolve_dtypes((*kinds, None), signature=(*(None for _ in kinds), dtype))
    return tuple(resolved[: len(kinds)])


for _info in OPERATORS.values():
    if isinstance(getattr(np, _info.python.removeprefix("numpy."), None), np.ufunc):
        wide(_info.name)(_ufunc(_info.name))


@wide("clip")
def clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = MISSING,
    max: Any = MISSING,
    dtype: Any = None,
    **layout: Any,
) -> Any:
    """As `np.clip`, whose bounds have two names each."""
    refuse_out("clip", out)
    if (min is not MISSING and a_min is not None) or (max is not MISSING and a_max is not None):
        raise ValueError("np.clip takes a bound once: as a_min or as min, as a_max or as max")
    if layout:
        only("clip", **{key: (value, None) for key, value in layout.items()})
    low, high = (a_min if min is MISSING else min), (a_max if max is MISSING else max)
    return operators.clip(*(value if value is None else cast(value, dtype) for value in (a, low, high)))
