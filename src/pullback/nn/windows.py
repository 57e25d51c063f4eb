"""Windows over the last axes of an array, as convolutions and pools move them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from .. import numpy as pnp
from .arguments import array


def output_lengths(
    lengths: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> tuple[int, ...]:
    """The number of windows along each axis. ValueError where a window is longer than its axis.

    >>> output_lengths((7,), (3,), (2,), (1,))
    (3,)
    """
    found = []
    for n, k, s, d in zip(lengths, kernel, stride, dilation, strict=True):
        reach = d * (k - 1) + 1
        if reach > n:
            raise ValueError(f"a window over {reach} entries does not fit the {n} of its axis")
        found.append((n - reach) // s + 1)
    return tuple(found)


def taps(x: Any, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> list[Any]:
    """For each place of a window, in row-major order, the entries that it meets: a slice of x each.

    >>> import numpy as np
    >>> [tap.tolist() for tap in taps(np.arange(4), (2,), (1,), (1,))]
    [[0, 1, 2], [1, 2, 3]]
    """
    out = output_lengths(x.shape[x.ndim - len(kernel) :], kernel, stride, dilation)
    found = []
    for place in product(*map(range, kernel)):
        index = tuple(
            slice(p * d, p * d + (n - 1) * s + 1, s)
            for p, d, n, s in zip(place, dilation, out, stride, strict=True)
        )
        found.append(x[(..., *index)])
    return found


def padded(x: Any, widths: Sequence[tuple[int, int]], value: float = 0.0) -> Any:
    """The last axes with a value around them; x itself where all widths are 0.

    >>> import numpy as np
    >>> padded(np.ones(2), [(1, 0)]).tolist()
    [0.0, 1.0, 1.0]
    """
    if not any(width for pair in widths for width in pair):
        return x
    lead = [(0, 0)] * (x.ndim - len(widths))
    return pnp.pad(x, (*lead, *widths), constant_values=value)


def batched(x: Any, n: int, name: str) -> tuple[Any, bool]:
    """x with an axis of batches before channels and n axes of space, and whether it had none.

    ValueError for another number of axes.

    >>> import numpy as np
    >>> batched(np.ones((3, 5)), 1, "conv1d")[0].shape
    (1, 3, 5)
    """
    x = array(x)
    if x.ndim == n + 2:
        return x, False
    if x.ndim != n + 1:
        raise ValueError(f"{name} takes an input of {n + 1} or {n + 2} axes, not of shape {tuple(x.shape)}")
    return x[None], True
