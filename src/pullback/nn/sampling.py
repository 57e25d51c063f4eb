"""Images read at places of a grid, and grids of affine maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from .. import numpy as pnp
from .arguments import floats, values, whole

_MODES, _PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


def affine_grid(theta: Any, size: Sequence[int], align_corners: bool = False) -> Any:
    """The grid of an affine map for `grid_sample`, as `torch.nn.functional.affine_grid`.

    theta (N, 2, 3) with a size (N, C, H, W) gives (N, H, W, 2); (N, 3, 4) with (N, C, D, H, W) gives
    (N, D, H, W, 3). M. Jaderberg and others, "Spatial Transformer Networks" (2015). ValueError for others.

    >>> import numpy as np
    >>> affine_grid(np.array([[[1.0, 0, 0], [0, 1, 0]]]), (1, 1, 1, 2), align_corners=True).tolist()
    [[[[-1.0, 0.0], [1.0, 0.0]]]]
    """
    theta = floats(theta, "affine_grid")
    n = len(size) - 2
    if n not in (2, 3) or tuple(theta.shape) != (size[0], n, n + 1):
        raise ValueError(
            f"affine_grid takes theta (N, 2, 3) with a size (N, C, H, W), or (N, 3, 4) with (N, C, D, H, W): "
            f"not {tuple(theta.shape)} with {tuple(size)}"
        )
    lengths = whole(size[2:], n, "size")
    axes = [_ends(length, align_corners) for length in lengths]
    places = [*np.meshgrid(*axes, indexing="ij")][::-1]
    base = np.stack([*places, np.ones(lengths)], -1).reshape(-1, n + 1).astype(theta.dtype)
    return pnp.reshape(base @ pnp.swapaxes(theta, 1, 2), (size[0], *lengths, n))


def _ends(length: int, align_corners: bool) -> Any:
    """Places from -1 to 1: of the entries, or of their outer edges."""
    if align_corners and length > 1:
        return np.linspace(-1, 1, length)
    return (2 * np.arange(length) + 1) / length - 1


def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """An image read at places between -1 and 1, as `torch.nn.functional.grid_sample`.

    input          (N, C, H, W) or (N, C, D, H, W)
    grid           (N, H', W', 2) or (N, D', H', W', 3): the place along the last axis first
    mode           "bilinear", "nearest", or "bicubic" for two axes
    padding_mode   what is read outside: "zeros", the "border", or the "reflection" of the inside
    align_corners  -1 and 1 are the first and last entry, not their outer edges; None is False

    The result is (N, C, H', W') or (N, C, D', H', W'). M. Jaderberg and others, "Spatial Transformer
    Networks" (2015). ValueError for other shapes and modes.

    >>> import numpy as np
    >>> image = np.array([[[[1.0, 3.0]]]])
    >>> grid_sample(image, np.zeros((1, 1, 1, 2)), align_corners=True).item()
    2.0
    """
    x, grid = floats(input, "grid_sample"), floats(grid, "grid_sample")
    n = x.ndim - 2
    if mode not in _MODES or padding_mode not in _PADDINGS or (mode == "bicubic" and n != 2):
        raise ValueError(
            f"grid_sample has modes {', '.join(_MODES)} (of two axes) and paddings {', '.join(_PADDINGS)}: "
            f"not {mode!r} and {padding_mode!r} for {n} axes"
        )
    if n not in (2, 3) or grid.ndim != n + 2 or (grid.shape[0], grid.shape[-1]) != (x.shape[0], n):
        raise ValueError(
            f"grid_sample takes (N, C, H, W) with a grid (N, H', W', 2), or (N, C, D, H, W) with "
            f"(N, D', H', W', 3): not {tuple(x.shape)} with {tuple(grid.shape)}"
        )
    if 0 in x.shape[2:]:
        raise ValueError(f"grid_sample reads nothing of an input of shape {tuple(x.shape)}")
    aligned = bool(align_corners)
    read = _reader(x, grid.shape[1:-1], padding_mode, aligned)
    places = [_place(grid[..., n - 1 - axis], x.shape[2 + axis], aligned) for axis in range(n)]
    if padding_mode != "zeros" and mode != "bicubic":
        places = [
            _inside(place, length, padding_mode, aligned)
            for place, length in zip(places, x.shape[2:], strict=True)
        ]
    if mode == "nearest":
        return read([np.rint(values(place)) for place in places])
    floors = [np.floor(values(place)) for place in places]
    away = [place - floor for place, floor in zip(places, floors, strict=True)]
    reach = range(-1, 3) if mode == "bicubic" else range(2)
    total: Any = 0.0
    for offsets in product(reach, repeat=n):
        weight: Any = 1.0
        for offset, part in zip(offsets, away, strict=True):
            weight = weight * (_cubic(part, offset) if mode == "bicubic" else _linear(part, offset))
        entries = read([floor + offset for floor, offset in zip(floors, offsets, strict=True)])
        total = total + entries * pnp.expand_dims(weight, 1)
    return total


def _place(g: Any, length: int, aligned: bool) -> Any:
    """-1 to 1 in entries."""
    return (g + 1) * ((length - 1) / 2) if aligned else ((g + 1) * length - 1) / 2


def _inside(place: Any, length: int, padding: str, aligned: bool) -> Any:
    """A place outside of an axis moved to one inside, whose derivative is 0, or 1 or -1 by reflections."""
    if padding == "reflection":
        low, span = (0.0, length - 1.0) if aligned else (-0.5, float(length))
        if span == 0:
            return 0 * place
        far = pnp.abs(place - low)
        flips = np.floor(values(far) / span)
        rest = far - flips * span
        place = pnp.where(flips % 2 == 0, rest, span - rest) + low
    below, above = values(place) <= 0, values(place) >= length - 1
    return pnp.where(below, 0, pnp.where(above, length - 1, place))


def _reader(x: Any, out: Sequence[int], padding: str, aligned: bool) -> Callable[[list[Any]], Any]:
    """A function of whole places along each axis: the entries of x there."""
    batch, channels, *lengths = x.shape
    flat = pnp.reshape(x, (batch, channels, prod(lengths)))

    def read(places: list[Any]) -> Any:
        index: Any = 0
        held: Any = True
        for place, length in zip(places, lengths, strict=True):
            held = held & (place >= 0) & (place <= length - 1)
            if padding != "zeros":
                place = _inside(place, length, padding, aligned)
            index = index * length + np.clip(place, 0, length - 1).astype(int)
        index = np.broadcast_to(index.reshape(batch, 1, -1), (batch, channels, prod(out)))
        entries = pnp.reshape(pnp.take_along_axis(flat, index, -1), (batch, channels, *out))
        return pnp.where(held[:, None], entries, 0) if padding == "zeros" else entries

    return read


def _linear(away: Any, offset: int) -> Any:
    return away if offset else 1 - away


def _cubic(away: Any, offset: int) -> Any:
    """Keys's kernel for a = -3/4, of the entry at an offset: R. G. Keys (1981)."""
    a = -0.75
    distance = away - offset if offset <= 0 else offset - away
    if offset in (0, 1):
        return ((a + 2) * distance - (a + 3)) * distance * distance + 1
    return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
