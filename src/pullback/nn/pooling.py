"""Pools: the largest or the mean of each window."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf, prod
from typing import Any

import numpy as np

from .. import numpy as pnp
from .arguments import floats, for_each_axis, whole
from .windows import batched, padded, taps

Size = int | Sequence[int]


def _ends(
    lengths: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], ceil_mode: bool,
) -> list[tuple[int, int]]:  # fmt: skip
    """The padding before and after each axis; with `ceil_mode` as much after as one more window needs.

    A window that would begin in the padding after an axis is left out.
    """
    found = []
    for n, k, s, p, d in zip(lengths, kernel, stride, padding, dilation, strict=True):
        if 2 * p > d * (k - 1) + 1:
            raise ValueError(f"a padding of {p} is more than half of a window over {d * (k - 1) + 1} entries")
        rest = (n + 2 * p - d * (k - 1) - 1) % s
        start = n + 2 * p - d * (k - 1) - 1 - rest + s  # of the window that does not fit
        more = s - rest if ceil_mode and rest and start < n + p else 0
        found.append((p, p + more))
    return found


def _max_pool(
    n: int, input: Any, kernel_size: Size, stride: Any, padding: Size, dilation: Size, ceil_mode: bool
) -> Any:
    x, alone = batched(floats(input, f"max_pool{n}d"), n, f"max_pool{n}d")
    kernel, dilation = whole(kernel_size, n, "kernel_size"), whole(dilation, n, "dilation")
    stride = whole(kernel if stride is None else stride, n, "stride")
    ends = _ends(x.shape[2:], kernel, stride, whole(padding, n, "padding", 0), dilation, ceil_mode)
    windows = pnp.stack(taps(padded(x, ends, -np.inf), kernel, stride, dilation), -1)
    # The first of several largest takes the gradient, as in torch.
    places = pnp.argmax(windows, axis=-1, keepdims=True)
    y = pnp.take_along_axis(windows, places, -1)[..., 0]
    return y[0] if alone else y


def max_pool1d(
    input: Any, kernel_size: Size, stride: Any = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False,
) -> Any:  # fmt: skip
    """The largest of each window over the last axis, as `torch.nn.functional.max_pool1d`.

    >>> import numpy as np
    >>> max_pool1d(np.array([[1.0, 3.0, 2.0, 0.0]]), 2).tolist()
    [[3.0, 2.0]]
    """
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Any, kernel_size: Size, stride: Any = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False,
) -> Any:  # fmt: skip
    """The largest of each window over the last two axes, as `torch.nn.functional.max_pool2d`.

    >>> import numpy as np
    >>> max_pool2d(np.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[5.0, 7.0], [13.0, 15.0]]]
    """
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Any, kernel_size: Size, stride: Any = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False,
) -> Any:  # fmt: skip
    """The largest of each window over the last three axes, as `torch.nn.functional.max_pool3d`.

    >>> import numpy as np
    >>> max_pool3d(np.arange(8.0).reshape(1, 2, 2, 2), 2).item()
    7.0
    """
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode)


def _avg_pool(
    n: int, input: Any, kernel_size: Size, stride: Any, padding: Size, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> Any:  # fmt: skip
    x, alone = batched(floats(input, f"avg_pool{n}d"), n, f"avg_pool{n}d")
    kernel, ones = whole(kernel_size, n, "kernel_size"), (1,) * n
    stride = whole(kernel if stride is None else stride, n, "stride")
    padding = whole(padding, n, "padding", 0)
    lengths = x.shape[2:]
    ends = _ends(lengths, kernel, stride, padding, ones, ceil_mode)
    first, *others = taps(padded(x, ends), kernel, stride, ones)
    total = sum(others, first)
    if divisor_override == 0:
        raise ValueError("avg_pool: divisor_override is not 0")
    if divisor_override is not None:
        return (total[0] if alone else total) / divisor_override
    # Entries that count: those of the input, and of its padding where that is asked for.
    inside = [(p, p) if count_include_pad else (0, 0) for p in padding]
    counted = np.pad(np.ones(lengths, x.dtype), inside, constant_values=1)
    rest = [(a - c, b - d) for (a, b), (c, d) in zip(ends, inside, strict=True)]
    count = sum(taps(np.pad(counted, rest), kernel, stride, ones))
    return (total[0] if alone else total) / count


def avg_pool1d(
    input: Any, kernel_size: Size, stride: Any = None, padding: Size = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """The mean of each window over the last axis, as `torch.nn.functional.avg_pool1d`.

    >>> import numpy as np
    >>> avg_pool1d(np.array([[1.0, 3.0, 2.0, 0.0]]), 2).tolist()
    [[2.0, 1.0]]
    """
    return _avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    input: Any, kernel_size: Size, stride: Any = None, padding: Size = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """The mean of each window over the last two axes, as `torch.nn.functional.avg_pool2d`.

    >>> import numpy as np
    >>> avg_pool2d(np.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[2.5, 4.5], [10.5, 12.5]]]
    """
    return _avg_pool(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    input: Any, kernel_size: Size, stride: Any = None, padding: Size = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """The mean of each window over the last three axes, as `torch.nn.functional.avg_pool3d`.

    >>> import numpy as np
    >>> avg_pool3d(np.arange(8.0).reshape(1, 2, 2, 2), 2).item()
    3.5
    """
    return _avg_pool(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _window(i: int, length: int, out: int) -> tuple[int, int]:
    """The i-th of so many windows that cover an axis: floor(i n / out) to ceil((i + 1) n / out)."""
    return i * length // out, -(-(i + 1) * length // out)


def _means(length: int, out: int, dtype: Any) -> Any:
    """The matrix of the means of windows that cover an axis."""
    matrix = np.zeros((out, length), dtype)
    for i in range(out):
        start, end = _window(i, length, out)
        matrix[i, start:end] = 1 / (end - start)
    return matrix


def _adaptive(n: int, input: Any, output_size: Any) -> Any:
    name = f"adaptive_avg_pool{n}d"
    x, alone = batched(floats(input, name), n, name)
    asked = for_each_axis(output_size, n, "output_size")
    lengths = [given if size is None else size for size, given in zip(asked, x.shape[2:], strict=True)]
    y = adaptive(x, n, whole(lengths, n, "output_size"))
    return y[0] if alone else y


def adaptive(x: Any, n: int, lengths: Sequence[int]) -> Any:
    """The last n axes as means of so many windows.

    >>> adaptive(np.array([1.0, 3.0, 2.0, 0.0]), 1, (2,)).tolist()
    [2.0, 1.0]
    """
    for axis, length in zip(range(-n, 0), lengths, strict=True):
        matrix = _means(x.shape[axis], length, x.dtype)
        x = pnp.moveaxis(pnp.moveaxis(x, axis, -1) @ matrix.T, -1, axis)
    return x


def adaptive_avg_pool1d(input: Any, output_size: Size) -> Any:
    """Means of as many windows as the output is long, as `torch.nn.functional.adaptive_avg_pool1d`.

    >>> import numpy as np
    >>> adaptive_avg_pool1d(np.array([[1.0, 3.0, 2.0, 0.0]]), 2).tolist()
    [[2.0, 1.0]]
    """
    return _adaptive(1, input, output_size)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """The same over two axes; None for a size keeps the length.

    >>> import numpy as np
    >>> adaptive_avg_pool2d(np.arange(16.0).reshape(1, 4, 4), 1).item()
    7.5
    """
    return _adaptive(2, input, output_size)


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """The same over three axes; None for a size keeps the length.

    >>> import numpy as np
    >>> adaptive_avg_pool3d(np.arange(8.0).reshape(1, 2, 2, 2), 1).item()
    3.5
    """
    return _adaptive(3, input, output_size)


def _lp_pool(
    n: int, input: Any, norm_type: float, kernel_size: Size, stride: Any, ceil_mode: bool
) -> Any:  # fmt: skip
    x = floats(input, f"lp_pool{n}d")
    if not norm_type > 0:
        raise ValueError(f"lp_pool{n}d: norm_type is above 0, not {norm_type!r}")
    if norm_type == inf:
        return _max_pool(n, pnp.abs(x), kernel_size, stride, 0, 1, ceil_mode)
    mean = _avg_pool(n, x**norm_type, kernel_size, stride, 0, ceil_mode, True, None)
    some = pnp.not_equal(mean, 0)
    total = pnp.where(some, mean, 1) * prod(whole(kernel_size, n, "kernel_size"))
    return pnp.where(some, total ** (1.0 / norm_type), 0)


def lp_pool1d(
    input: Any, norm_type: float, kernel_size: Size, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The sum of powers of each window over the last axis, to the power 1 / norm_type, as torch's.

    The largest absolute value for an infinite norm_type. A sum of 0 has derivative 0, the root of one below 0
    is NaN. ValueError for a norm_type that is not above 0.

    >>> import numpy as np
    >>> lp_pool1d(np.array([[3.0, 4.0]]), 2.0, 2).item()
    5.0
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Size, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The sum of powers of each window over the last two axes, to the power 1 / norm_type, as torch's.

    The largest absolute value for an infinite norm_type. A sum of 0 has derivative 0, the root of one below 0
    is NaN. ValueError for a norm_type that is not above 0.

    >>> import numpy as np
    >>> lp_pool2d(np.ones((1, 2, 2)), 2.0, 2).item()
    2.0
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Any, norm_type: float, kernel_size: Size, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The sum of powers of each window over the last three axes, to the power 1 / norm_type, as torch's.

    The largest absolute value for an infinite norm_type. A sum of 0 has derivative 0, the root of one below 0
    is NaN. ValueError for a norm_type that is not above 0.

    >>> import numpy as np
    >>> lp_pool3d(np.full((1, 2, 2, 2), 2**0.5), 2.0, 2).item()
    4.0
    """
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


def _adaptive_max(n: int, input: Any, output_size: Any) -> Any:
    name = f"adaptive_max_pool{n}d"
    x, alone = batched(floats(input, name), n, name)
    asked = for_each_axis(output_size, n, "output_size")
    lengths = [given if size is None else size for size, given in zip(asked, x.shape[2:], strict=True)]
    out = whole(lengths, n, "output_size")
    parts = []
    for cell in product(*map(range, out)):
        window = tuple(slice(*_window(i, m, o)) for i, m, o in zip(cell, x.shape[2:], out, strict=True))
        entries = x[(..., *window)]
        entries = pnp.reshape(entries, (*x.shape[:2], prod(entries.shape[2:])))
        parts.append(pnp.take_along_axis(entries, pnp.argmax(entries, axis=-1, keepdims=True), -1)[..., 0])
    y = pnp.reshape(pnp.stack(parts, -1), (*x.shape[:2], *out))
    return y[0] if alone else y


def adaptive_max_pool1d(input: Any, output_size: Size) -> Any:
    """The largest of as many windows as the output is long, over the last axis, as torch's.

    The windows are those of `adaptive_avg_pool1d`. ValueError for a
    size below 1.

    >>> import numpy as np
    >>> adaptive_max_pool1d(np.arange(2.0).reshape(1, 2), 1).item()
    1.0
    """
    return _adaptive_max(1, input, output_size)


def adaptive_max_pool2d(input: Any, output_size: Any) -> Any:
    """The largest of as many windows as the output is long, over the last two axes, as torch's.

    None for a size keeps the length. The windows are those of `adaptive_avg_pool2d`. ValueError for a
    size below 1.

    >>> import numpy as np
    >>> adaptive_max_pool2d(np.arange(4.0).reshape(1, 2, 2), 1).item()
    3.0
    """
    return _adaptive_max(2, input, output_size)


def adaptive_max_pool3d(input: Any, output_size: Any) -> Any:
    """The largest of as many windows as the output is long, over the last three axes, as torch's.

    None for a size keeps the length. The windows are those of `adaptive_avg_pool3d`. ValueError for a
    size below 1.

    >>> import numpy as np
    >>> adaptive_max_pool3d(np.arange(8.0).reshape(1, 2, 2, 2), 1).item()
    7.0
    """
    return _adaptive_max(3, input, output_size)
