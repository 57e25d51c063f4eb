"""Convolutions in one to three dimensions, their transposes, and the columns they are products with.

A convolution is a matrix product: the entries that a window meets at each place are slices of the input
(`windows.taps`), stacked as columns. Its derivatives are those of slices, stacks and products.
V. Dumoulin and F. Visin, "A guide to convolution arithmetic for deep learning" (2016), has the sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import numpy as pnp
from .. import primitives
from .arguments import expect_shape, floats, whole
from .windows import batched, output_lengths, padded, taps

Size = int | Sequence[int]


def _convolution(
    n: int, input: Any, weight: Any, bias: Any, stride: Size, padding: Any, dilation: Size, groups: int
) -> Any:
    """A convolution over the last n axes."""
    name = f"conv{n}d"
    x, alone = batched(floats(input, name), n, name)
    weight = _weight(weight, n, name)
    stride, dilation = whole(stride, n, "stride"), whole(dilation, n, "dilation")
    (groups,) = whole(groups, 1, "groups")
    kernel = tuple(weight.shape[2:])
    channels, outs = x.shape[1], weight.shape[0]
    if channels != weight.shape[1] * groups or outs % groups:
        raise ValueError(
            f"{name}: {channels} channels in {groups} groups take a weight of shape "
            f"(O, {channels} / {groups}, ...) with O a multiple of {groups}, not {tuple(weight.shape)}"
        )
    x = padded(x, _widths(padding, kernel, stride, dilation))
    columns = pnp.stack(taps(x, kernel, stride, dilation), 2)
    out = columns.shape[3:]
    columns = pnp.reshape(
        columns, (x.shape[0], groups, channels // groups * math.prod(kernel), math.prod(out))
    )
    rows = pnp.reshape(weight, (groups, outs // groups, channels // groups * math.prod(kernel)))
    y = pnp.reshape(rows @ columns, (x.shape[0], outs, *out))
    if bias is not None:
        y = y + pnp.reshape(expect_shape(bias, (outs,), f"{name}: bias"), (-1, *(1,) * n))
    return y[0] if alone else y


def _weight(weight: Any, n: int, name: str) -> Any:
    """A weight of n axes of space; ValueError for another number of axes, and for none in a kernel."""
    found = floats(weight, name)
    if found.ndim != n + 2 or 0 in found.shape[2:]:
        raise ValueError(f"{name} takes a weight of {n + 2} axes, not of shape {tuple(found.shape)}")
    return found


def _widths(
    padding: Any, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> list[tuple[int, int]]:
    """The zeros before and after each axis."""
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if padding == "same":
        if any(s != 1 for s in stride):
            raise ValueError("padding='same' keeps the lengths, which a stride changes: give numbers")
        reach = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
        return [(total // 2, total - total // 2) for total in reach]
    if isinstance(padding, str):
        raise ValueError(f"padding is a number, numbers, 'valid' or 'same', not {padding!r}")
    return [(p, p) for p in whole(padding, len(kernel), "padding", 0)]


def conv1d(
    input: Any, weight: Any, bias: Any = None, stride: Size = 1, padding: Any = 0, dilation: Size = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Convolution over one axis, as `torch.nn.functional.conv1d`.

    input (N, C, L) or (C, L); weight (O, C / groups, K); bias (O). `padding` is a number, "valid" or "same".

    >>> import numpy as np
    >>> conv1d(np.ones((1, 4)), np.ones((1, 1, 2))).tolist()
    [[2.0, 2.0, 2.0]]
    """
    return _convolution(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Size = 1, padding: Any = 0, dilation: Size = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Convolution over two axes, as `torch.nn.functional.conv2d`.

    input (N, C, H, W) or (C, H, W); weight (O, C / groups, K, L).

    >>> import numpy as np
    >>> conv2d(np.ones((1, 1, 3, 3)), np.ones((2, 1, 3, 3))).ravel().tolist()
    [9.0, 9.0]
    """
    return _convolution(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Any, weight: Any, bias: Any = None, stride: Size = 1, padding: Any = 0, dilation: Size = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Convolution over three axes, as `torch.nn.functional.conv3d`.

    >>> import numpy as np
    >>> conv3d(np.ones((1, 1, 2, 2, 2)), np.ones((1, 1, 2, 2, 2))).item()
    8.0
    """
    return _convolution(3, input, weight, bias, stride, padding, dilation, groups)


def _transposed(
    n: int, input: Any, weight: Any, bias: Any, stride: Size, padding: Size, output_padding: Size,
    groups: int, dilation: Size,
) -> Any:  # fmt: skip
    """The adjoint of a convolution: one by the flipped weight, over the input with zeros in between."""
    name = f"conv_transpose{n}d"
    x, alone = batched(floats(input, name), n, name)
    weight = _weight(weight, n, name)
    stride, dilation = whole(stride, n, "stride"), whole(dilation, n, "dilation")
    padding, extra = whole(padding, n, "padding", 0), whole(output_padding, n, "output_padding", 0)
    (groups,) = whole(groups, 1, "groups")
    kernel = tuple(weight.shape[2:])
    channels, outs = x.shape[1], weight.shape[1]
    if channels != weight.shape[0] or channels % groups:
        raise ValueError(
            f"{name}: {channels} channels in {groups} groups take a weight of shape "
            f"({channels}, O / {groups}, ...), not {tuple(weight.shape)}"
        )
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation, strict=True)):
        raise ValueError(f"output_padding {extra} is smaller than stride {stride} or dilation {dilation}")
    out = tuple(
        (length - 1) * s - 2 * p + d * (k - 1) + e + 1
        for length, s, p, d, k, e in zip(x.shape[2:], stride, padding, dilation, kernel, extra, strict=True)
    )
    if min(out) < 1:
        raise ValueError(f"{name}: an input of shape {tuple(x.shape)} with padding {padding} has no output")
    lengths = tuple((length - 1) * s + 1 for length, s in zip(x.shape[2:], stride, strict=True))
    if any(s > 1 for s in stride):
        index = (slice(None), slice(None), *(slice(None, None, s) for s in stride))
        x = primitives.unslice(x, index=index, shape=(*x.shape[:2], *lengths))
    widths = [
        (d * (k - 1) - p, d * (k - 1) - p + e)
        for d, k, p, e in zip(dilation, kernel, padding, extra, strict=True)
    ]
    x = padded(x, [(max(before, 0), max(after, 0)) for before, after in widths])
    cut = (slice(max(-before, 0), after if after < 0 else None) for before, after in widths)
    x = x[(..., *cut)]
    flipped = pnp.flip(weight, tuple(range(2, n + 2)))
    grouped = pnp.reshape(flipped, (groups, channels // groups, outs, *kernel))
    forward = pnp.reshape(pnp.swapaxes(grouped, 1, 2), (groups * outs, channels // groups, *kernel))
    y = _convolution(n, x, forward, bias, 1, 0, dilation, groups)
    return y[0] if alone else y


def conv_transpose1d(
    input: Any, weight: Any, bias: Any = None, stride: Size = 1, padding: Size = 0, output_padding: Size = 0,
    groups: int = 1, dilation: Size = 1,
) -> Any:  # fmt: skip
    """The adjoint of `conv1d`, as `torch.nn.functional.conv_transpose1d`: weight (C, O / groups, K).

    >>> import numpy as np
    >>> conv_transpose1d(np.ones((1, 2)), np.ones((1, 1, 2)), stride=2).tolist()
    [[1.0, 1.0, 1.0, 1.0]]
    """
    return _transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Any, weight: Any, bias: Any = None, stride: Size = 1, padding: Size = 0, output_padding: Size = 0,
    groups: int = 1, dilation: Size = 1,
) -> Any:  # fmt: skip
    """The adjoint of `conv2d`, as `torch.nn.functional.conv_transpose2d`.

    >>> import numpy as np
    >>> conv_transpose2d(np.ones((1, 1, 1)), np.ones((1, 1, 2, 2))).shape
    (1, 2, 2)
    """
    return _transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Any, weight: Any, bias: Any = None, stride: Size = 1, padding: Size = 0, output_padding: Size = 0,
    groups: int = 1, dilation: Size = 1,
) -> Any:  # fmt: skip
    """The adjoint of `conv3d`, as `torch.nn.functional.conv_transpose3d`.

    >>> import numpy as np
    >>> conv_transpose3d(np.ones((1, 1, 1, 1)), np.ones((1, 1, 2, 2, 2))).shape
    (1, 2, 2, 2)
    """
    return _transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def unfold(input: Any, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> Any:
    """The windows of an image as columns, as `torch.nn.functional.unfold`: (N, C, H, W) to (N, C K, L).

    >>> import numpy as np
    >>> unfold(np.ones((1, 1, 3, 3)), 2).shape
    (1, 4, 4)
    """
    x, alone = batched(input, 2, "unfold")
    kernel = whole(kernel_size, 2, "kernel_size")
    x = padded(x, [(p, p) for p in whole(padding, 2, "padding", 0)])
    columns = pnp.stack(taps(x, kernel, whole(stride, 2, "stride"), whole(dilation, 2, "dilation")), 2)
    shape = (x.shape[0], x.shape[1] * math.prod(kernel), math.prod(columns.shape[3:]))
    columns = pnp.reshape(columns, shape)
    return columns[0] if alone else columns


def fold(
    input: Any, output_size: Size, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1
) -> Any:
    """The image of which columns are the windows, added where they overlap: the adjoint of `unfold`.

    >>> import numpy as np
    >>> fold(np.ones((1, 4, 4)), 3, 2)[0, 0].tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    columns, alone = batched(input, 1, "fold")
    size, kernel = whole(output_size, 2, "output_size"), whole(kernel_size, 2, "kernel_size")
    stride, dilation = whole(stride, 2, "stride"), whole(dilation, 2, "dilation")
    padding = whole(padding, 2, "padding", 0)
    lengths = tuple(length + 2 * p for length, p in zip(size, padding, strict=True))
    out = output_lengths(lengths, kernel, stride, dilation)
    if columns.shape[1] % math.prod(kernel) or columns.shape[2] != math.prod(out):
        raise ValueError(
            f"fold: columns of shape {tuple(columns.shape)} are not those of {out} windows {kernel}"
        )
    channels = columns.shape[1] // math.prod(kernel)
    parts = pnp.reshape(columns, (columns.shape[0], channels, *kernel, *out))
    image: Any = 0.0
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            index = tuple(
                slice(p * d, p * d + (n - 1) * s + 1, s)
                for p, d, n, s in zip((i, j), dilation, out, stride, strict=True)
            )
            shape = (columns.shape[0], channels, *lengths)
            every = (slice(None), slice(None), *index)
            image = image + primitives.unslice(parts[:, :, i, j], index=every, shape=shape)
    cut = tuple(slice(p, p + length) for p, length in zip(padding, size, strict=True))
    image = image[(..., *cut)]
    return image[0] if alone else image
