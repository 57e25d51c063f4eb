"""The inverse of a pool: entries put back at the places that they were taken from."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .. import numpy as pnp
from ..engine.calls.call import operators
from .arguments import floats, integers, values, whole
from .windows import batched

Size = int | Sequence[int]


def _lengths(
    n: int, given: Sequence[int], kernel_size: Size, stride: Any, padding: Size, output_size: Any
) -> tuple[int, ...]:
    """The lengths of the axes that were pooled: those asked for, where a pool of these makes the input's."""
    kernel = whole(kernel_size, n, "kernel_size")
    steps = whole(kernel if stride is None else stride, n, "stride")
    pads = whole(padding, n, "padding", 0)
    usual = tuple((m - 1) * s - 2 * p + k for m, k, s, p in zip(given, kernel, steps, pads, strict=True))
    if output_size is None:
        return usual
    asked = tuple(output_size)[-n:]
    if any(abs(length - m) >= s for length, m, s in zip(asked, usual, steps, strict=True)):
        raise ValueError(f"output_size is {usual}, less than {tuple(steps)} more or less, not {asked}")
    return asked


def _max_unpool(
    n: int, input: Any, indices: Any, kernel_size: Size, stride: Any, padding: Size, output_size: Any
) -> Any:
    name = f"max_unpool{n}d"
    x, alone = batched(floats(input, name), n, name)
    places = values(integers(indices, name))
    places = places[None] if alone else places
    if places.shape != x.shape:
        raise ValueError(f"{name}: indices have the shape {places.shape}, and the input {tuple(x.shape)}")
    lengths = _lengths(n, x.shape[2:], kernel_size, stride, padding, output_size)
    rows, count, size = prod(x.shape[:2]), prod(x.shape[2:]), prod(lengths)
    places = places.reshape(rows, count)
    if places.size and (places.min() < 0 or places.max() >= size):
        raise ValueError(f"{name}: indices are from 0 to {size - 1}, as the output has {size} places")
    if (np.diff(np.sort(places, -1)) == 0).any():
        raise ValueError(f"{name}: an index comes twice in a channel, where one entry would hide the other")
    flat = operators.unslice(
        pnp.reshape(x, (rows, count)), index=(np.arange(rows)[:, None], places), shape=(rows, size)
    )
    y = pnp.reshape(flat, (*x.shape[:2], *lengths))
    return y[0] if alone else y


def max_unpool1d(
    input: Any, indices: Any, kernel_size: Size, stride: Any = None, padding: Size = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Zeros with the entries at their places in the last axis, as torch's; `indices` count along it.

    ValueError for places that are out of range, or come twice in a channel.

    >>> import numpy as np
    >>> max_unpool1d(np.array([[2.0, 4.0]]), np.array([[1, 3]]), 2).tolist()
    [[0.0, 2.0, 0.0, 4.0]]
    """
    return _max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Any, indices: Any, kernel_size: Size, stride: Any = None, padding: Size = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Zeros with the entries at their places in the last two axes, row by row, as torch's.

    ValueError for places that are out of range, or come twice in a channel.

    >>> import numpy as np
    >>> max_unpool2d(np.array([[[5.0]]]), np.array([[[3]]]), 2).tolist()
    [[[0.0, 0.0], [0.0, 5.0]]]
    """
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Any, indices: Any, kernel_size: Size, stride: Any = None, padding: Size = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Zeros with the entries at their places in the last three axes, as torch's.

    ValueError for places that are out of range, or come twice in a channel.

    >>> import numpy as np
    >>> max_unpool3d(np.ones((1, 1, 1, 1)), np.array([[[[6]]]]), 2).ravel().tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    """
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)
