"""Gradients of the gradients of samples of an image at the points of a grid.

A sample is y_p = sum_k w_k(g_p) x[i_k(g_p)] over the neighbours k of the point g_p, with a weight that is the
product of one for each axis. Its gradients are linear in the gradient of y; those of x and of g are

    sum_p e_p w_k(g_p) at i_k,    and    sum_k w_k'(g_p) x[i_k] e_p.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from pullback import aten

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
KEYS = -0.75  # the slope of the cubic kernel at distance 1: R. Keys, Cubic convolution interpolation, 1981


class _Neighbour(NamedTuple):
    """Along one axis: an index within the image, whether it was inside of it before, and the weight with its
    first and second derivatives by the grid's entry.
    """

    index: Any
    inside: Any
    weights: tuple[Any, Any, Any]


def _reflected(at: Any, size: int, align_corners: bool) -> tuple[Any, Any]:
    """A coordinate reflected at the borders of the image, and the sign of its slope."""
    low, span = (0.0, float(size - 1)) if align_corners else (-0.5, float(size))
    if span == 0.0:
        return aten.zeros_like(at), aten.zeros_like(at)
    away = aten.abs(at - low)
    flips = aten.floor(away / span)
    rest = away - flips * span
    odd = aten.fmod(flips, 2) != 0
    slope = aten.where(at < low, -1.0, 1.0) * aten.where(odd, -1.0, 1.0)
    return aten.where(odd, span - rest, rest) + low, slope


def _padded(at: Any, size: int, padding: int, align_corners: bool) -> tuple[Any, Any]:
    """A coordinate after padding, and the slope of that; 0 where it is cut off at the border."""
    slope = aten.ones_like(at)
    if padding == ZEROS:
        return at, slope
    if padding == REFLECTION:
        at, slope = _reflected(at, size, align_corners)
    within = (at > 0) & (at < size - 1)
    return aten.clamp(at, 0, size - 1), aten.where(within, slope, 0.0)


def _kernels(mode: int, part: Any) -> Iterator[tuple[int, Any, Any, Any]]:
    """Of each neighbour its offset, and the weight with its derivatives; `part` is between 0 and 1."""
    one, none = aten.ones_like(part), aten.zeros_like(part)
    if mode == NEAREST:
        yield 0, one, none, none
    elif mode == BILINEAR:
        yield 0, 1 - part, -one, none
        yield 1, part, one, none
    else:
        for offset in (-1, 0, 1, 2):
            sign = 1.0 if offset <= 0 else -1.0
            d = sign * (part - offset)
            if offset in (0, 1):
                yield (
                    offset,
                    ((KEYS + 2) * d - (KEYS + 3)) * d * d + 1,
                    sign * (3 * (KEYS + 2) * d - 2 * (KEYS + 3)) * d,
                    6 * (KEYS + 2) * d - 2 * (KEYS + 3),
                )
            else:
                yield (
                    offset,
                    KEYS * (((d - 5) * d + 8) * d - 4),
                    sign * KEYS * ((3 * d - 10) * d + 8),
                    KEYS * (6 * d - 10),
                )


def _neighbours(at: Any, size: int, mode: int, padding: int, align_corners: bool) -> list[_Neighbour]:
    """The neighbours of points along one axis; the grid's entries -1 and 1 are the image's borders.

    Coordinates are padded before they are rounded; of a cubic kernel, each neighbour is.
    """
    scale = (size - 1) / 2 if align_corners else size / 2
    at = (at + 1) * scale - (0.0 if align_corners else 0.5)
    slope = scale
    if mode != BICUBIC:
        at, change = _padded(at, size, padding, align_corners)
        slope = scale * change
    whole = aten.detach(aten.round(at) if mode == NEAREST else aten.floor(at))
    found = []
    for offset, weight, first, second in _kernels(mode, at - whole):
        index = whole + offset
        if mode == BICUBIC:
            index, _ = _padded(index, size, padding, align_corners)
        inside = (index >= 0) & (index <= size - 1)
        index = aten.to(aten.clamp(index, 0, size - 1), aten.int64)
        found.append(_Neighbour(index, inside, (weight, slope * first, slope * slope * second)))
    return found


def _double_backward(
    grad_grad_input: Any,
    grad_grad_grid: Any,
    grad_output: Any,
    input: Any,
    grid: Any,
    mode: int,
    padding: int,
    align_corners: bool,
    needed: Sequence[bool],
) -> tuple[Any, Any, Any]:
    """With v and h in the place of the gradients of x and g, and e that of y: the gradients of

        sum_p e_p sum_k (w_k v[i_k] + (w_k' h_p) x[i_k])

    by e, x and g.
    """
    sizes, batch, channels = input.shape[2:], input.shape[0], input.shape[1]
    count, axes = math.prod(grid.shape[1:-1]), range(len(sizes))
    points = aten.reshape(grid, (batch, count, len(sizes)))
    along = [
        _neighbours(aten.select(points, 2, len(sizes) - 1 - axis), sizes[axis], mode, padding, align_corners)
        for axis in axes
    ]
    x, v = (
        None if image is None else aten.reshape(image, (batch, channels, math.prod(sizes)))
        for image in (input, grad_grad_input)
    )
    e = aten.reshape(grad_output, (batch, channels, count))
    h = None
    if grad_grad_grid is not None:
        moved = aten.reshape(grad_grad_grid, (batch, count, len(sizes)))
        h = [aten.select(moved, 2, len(sizes) - 1 - axis) for axis in axes]
    by_e, by_x = aten.zeros_like(e), aten.zeros_like(x)
    by_g = [aten.zeros_like(aten.select(points, 2, 0)) for _ in axes]
    for corner in product(*along):
        index = corner[0].index
        inside = corner[0].inside
        for axis in axes[1:]:
            index = index * sizes[axis] + corner[axis].index
            inside = inside & corner[axis].inside
        index = aten.expand(aten.unsqueeze(index, 1), e.shape)

        def weight(*differentiated: int, corner: Any = corner, inside: Any = inside) -> Any:
            """The weight of this neighbour, differentiated by the grid's entries of these axes."""
            made = aten.where(inside, 1.0, aten.zeros_like(corner[0].weights[0]))
            for axis in axes:
                made = made * corner[axis].weights[differentiated.count(axis)]
            return made

        if v is not None:
            of_v = aten.gather(v, 2, index)
            by_e = by_e + aten.unsqueeze(weight(), 1) * of_v
            inner = aten.sum(e * of_v, (1,))
            by_g = [total + weight(axis) * inner for axis, total in zip(axes, by_g, strict=True)]
        if h is not None:
            of_x = aten.gather(x, 2, index)
            change = sum(weight(axis) * h[axis] for axis in axes)
            by_e = by_e + aten.unsqueeze(change, 1) * of_x
            by_x = aten.scatter_add(by_x, 2, index, aten.unsqueeze(change, 1) * e)
            inner = aten.sum(e * of_x, (1,))
            by_g = [
                total + sum(weight(axis, other) * h[other] for other in axes) * inner
                for axis, total in zip(axes, by_g, strict=True)
            ]
    of_grid = aten.reshape(aten.stack(by_g[::-1], 2), grid.shape)
    made = (aten.reshape(by_e, grad_output.shape), aten.reshape(by_x, input.shape), of_grid)
    return tuple(each if wanted else None for each, wanted in zip(made, needed, strict=True))  # type: ignore[return-value]


def grid_sampler_2d_double_backward(
    grad_grad_input: Any,
    grad_grad_grid: Any,
    grad_output: Any,
    input: Any,
    grid: Any,
    mode: int,
    padding: int,
    align_corners: bool,
    needed: Sequence[bool],
) -> tuple[Any, Any, Any]:
    """Of an image of two axes."""
    return _double_backward(
        grad_grad_input, grad_grad_grid, grad_output, input, grid, mode, padding, align_corners, needed
    )


def grid_sampler_3d_double_backward(
    grad_grad_input: Any,
    grad_grad_grid: Any,
    grad_output: Any,
    input: Any,
    grid: Any,
    mode: int,
    padding: int,
    align_corners: bool,
    needed: Sequence[bool],
) -> tuple[Any, Any, Any]:
    """Of a volume, of three axes."""
    return _double_backward(
        grad_grad_input, grad_grad_grid, grad_output, input, grid, mode, padding, align_corners, needed
    )
