"""Arguments, checked: arrays of floats, whole numbers for each axis, an entry for each channel."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.batched.tensor import Batched


def array(value: Any) -> Any:
    """A tensor as it is, and a list or number as an array.

    >>> array([1.0, 2.0]).shape
    (2,)
    """
    return value if hasattr(value, "detach") else np.asarray(value)


def floats(value: Any, name: str) -> Any:
    """The same, of floats or complex numbers. TypeError for integers, which would wrap around or be cut.

    >>> floats([1.0, 2.0], "conv1d").shape
    (2,)
    """
    found = array(value)
    if found.dtype.kind in "biuOSU":
        raise TypeError(f"{name} takes floats, not {found.dtype}: write x.astype(float)")
    return found


def integers(value: Any, name: str) -> Any:
    """The same, of integers. TypeError for floats.

    >>> integers([1, 2], "embedding").shape
    (2,)
    """
    found = array(value)
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name} takes integers, not {found.dtype}")
    return found


def values(value: Any) -> Any:
    """The values of an array or tensor as an array. BatchedValueError inside of `vmap`.

    >>> values(np.ones(1)).tolist()
    [1.0]
    """
    return value if isinstance(value, np.ndarray | np.generic) else value.detach().numpy()


def known(value: Any) -> Any:
    """The values of an array or tensor, or None inside of `vmap`, where there are those of every example.

    >>> known(np.ones(1)).tolist()
    [1.0]
    """
    return None if isinstance(value, Batched) else values(value)


def expect_indices(places: Any, length: int, error: type[Exception], message: str) -> None:
    """Raise where an integer is below 0 or not below a length. Inside of `vmap` the index itself does.

    >>> expect_indices(np.array([0, 2]), 3, IndexError, "outside of the 3 rows")
    """
    found = known(places)
    if found is not None and found.size and (found.min() < 0 or found.max() >= length):
        raise error(message)


def expect_shape(value: Any, shape: Sequence[int], name: str) -> Any:
    """An array or tensor of this shape. ValueError for another, which would be broadcast.

    >>> expect_shape(np.ones(3), (3,), "linear: bias").shape
    (3,)
    """
    found = array(value)
    if tuple(found.shape) != tuple(shape):
        raise ValueError(f"{name} has shape {tuple(shape)}, not {tuple(found.shape)}")
    return found


def expect_within(value: Any, shape: Sequence[int], name: str) -> Any:
    """An array or tensor that is broadcast to this shape. ValueError for one that would enlarge it.

    >>> expect_within(np.ones((3, 1)), (3, 4), "weight").shape
    (3, 1)
    """
    found = array(value)
    given = tuple(found.shape)
    last = tuple(shape)[len(shape) - len(given) :]
    if len(given) > len(shape) or any(a not in (1, b) for a, b in zip(given, last, strict=True)):
        raise ValueError(f"{name} of shape {given} is not broadcast to {tuple(shape)}")
    return found


def for_each_axis(value: Any, n: int, name: str) -> tuple[Any, ...]:
    """One number for all of n axes, or one for each. ValueError for another count.

    >>> for_each_axis(2, 3, "stride"), for_each_axis((1, 2), 2, "stride")
    ((2, 2, 2), (1, 2))
    """
    listed = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    found = tuple(value) if listed else (value,) * n
    if len(found) == 1:
        found *= n
    if len(found) != n:
        raise ValueError(f"{name} is a number or {n} of them, not {value!r}")
    return found


def whole(value: Any, n: int, name: str, least: int = 1) -> tuple[int, ...]:
    """One whole number for all of n axes, or one for each.

    TypeError for what is no whole number, ValueError for one below the least.

    >>> whole(2, 2, "stride")
    (2, 2)
    """
    try:
        found = tuple(operator.index(number) for number in for_each_axis(value, n, name))
    except TypeError:
        raise TypeError(f"{name} is a whole number or {n} of them, not {value!r}") from None
    if min(found) < least:
        raise ValueError(f"{name} is at least {least}, not {value!r}")
    return found
