"""Arguments that many of NumPy's functions take besides their operands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ...calls.call import arrays, operators, unrecorded
from ...core.dispatch import engine_of

# What `where=` is where nothing is left out.
EVERYWHERE = True


Function = Callable[..., Any]


class _Missing:
    """No argument: None has a meaning of its own."""

    def __repr__(self) -> str:
        return "<no value>"


MISSING: Any = _Missing()


def dtype_of(dtype: Any) -> np.dtype[Any]:
    """The dtype that an argument names. TypeError for a tensor, as NumPy has it for an array."""
    if engine_of(dtype) is not None:
        raise TypeError("Cannot construct a dtype from a tensor; pass its dtype")
    found: np.dtype[Any] = np.dtype(dtype)
    return found


def cast(x: Any, dtype: Any) -> Any:
    """The operand in the dtype that a function is told to compute in."""
    if dtype is None:
        return x
    dtype = dtype_of(dtype)
    if hasattr(x, "dtype") and x.dtype == dtype:
        return x
    if not hasattr(x, "requires_grad"):
        return np.asarray(x).astype(dtype)
    return operators.astype(x, dtype=dtype)


def rank(x: Any) -> int:
    """The number of axes, without NumPy's dispatch where the operand knows it."""
    found: int | None = getattr(x, "ndim", None)
    return np.ndim(x) if found is None else found


def masked(x: Any, where: Any, otherwise: Any) -> Any:
    """The operand with what `where` leaves out replaced by what a reduction does not see."""
    return x if where is EVERYWHERE else operators.where(mask_of(where), x, otherwise)


def mask_of(where: Any) -> Any:
    """The mask itself. TypeError for one that is not of bools."""
    given = np.asarray(arrays(where)).dtype
    if given != np.bool_:
        raise TypeError(
            f"Cannot cast array data from {given!r} to {np.dtype(np.bool_)!r} according to the rule 'safe'"
        )
    return where


def squared_modulus(x: Any) -> Any:
    """The square of the absolute value, which is real."""
    if x.dtype.kind != "c":
        return operators.square(x)
    return operators.add(operators.square(x.real), operators.square(x.imag))


def or_in_whole_numbers(of: Function) -> Callable[[Function], Function]:
    """Decorates a reduction: NumPy's function `of` runs where `dtype` is one of whole numbers or bools.

    NumPy adds in that dtype, and the result has no derivative.
    """

    def decorate(function: Function) -> Function:
        place = list(inspect.signature(function).parameters).index("dtype")

        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            dtype = args[place] if len(args) > place else kwargs.get("dtype")
            if dtype is not None and dtype_of(dtype).kind in "biu":
                engine = engine_of(*args, *kwargs.values())
                if engine is not None:
                    return unrecorded(engine, of, args, kwargs)
            return function(*args, **kwargs)

        return run

    return decorate


def only(name: str, **given: tuple[Any, Any]) -> None:
    """TypeError where an argument that means nothing to tensors isn't what it is by default."""
    for argument, (value, default) in given.items():
        if value != default:
            raise TypeError(f"np.{name} of tensors takes {argument}={default!r}, not {value!r}")
