"""Images: padded, resized, and channels moved into space and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import numpy as pnp
from .arguments import array, floats, for_each_axis, whole
from .pooling import adaptive
from .windows import padded

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(input: Any, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    """Entries around the last axes, as `torch.nn.functional.pad`.

    `pad` has a pair for each axis, before and after, the last axis first; a negative number cuts. `mode` is
    "constant", "reflect" (by less than the length), "replicate" or "circular" (by at most the length); but
    for "constant" nothing is cut. ValueError for others.

    >>> import numpy as np
    >>> pad(np.ones(2), (1, 0), value=5.0).tolist()
    [5.0, 1.0, 1.0]
    """
    if mode not in _MODES:
        raise ValueError(f"mode is one of {', '.join(_MODES)}, not {mode!r}")
    x = array(input)
    if len(pad) % 2 or len(pad) > 2 * x.ndim:
        raise ValueError(f"pad has pairs, at most one for each of {x.ndim} axes, not {tuple(pad)}")
    numbers = whole(pad, len(pad), "pad", -max((0, *x.shape))) if len(pad) else ()
    pairs = [(numbers[i], numbers[i + 1]) for i in range(0, len(pad), 2)][::-1]
    if mode != "constant":
        if value is not None:
            raise ValueError(f"pad: a value is for mode 'constant', not for {mode!r}")
        _expect_room(x, pairs, mode)
        return pnp.pad(x, [(0, 0)] * (x.ndim - len(pairs)) + pairs, mode=_MODES[mode])
    lengths = x.shape[x.ndim - len(pairs) :]
    for length, (before, after) in zip(lengths, pairs, strict=True):
        if min(before, 0) + min(after, 0) + length < 0:
            raise ValueError(f"pad: {(before, after)} cuts more than the {length} entries of an axis")
    cut = [
        slice(max(-before, 0), length + min(after, 0))
        for length, (before, after) in zip(lengths, pairs, strict=True)
    ]
    widths = [(max(before, 0), max(after, 0)) for before, after in pairs]
    return padded(x[(..., *cut)], widths, 0.0 if value is None else value)


def _expect_room(x: Any, pairs: Sequence[tuple[int, int]], mode: str) -> None:
    """Refuse to copy more entries than an axis has in this mode."""
    for length, pair in zip(x.shape[x.ndim - len(pairs) :], pairs, strict=True):
        most = {"reflect": length - 1, "circular": length}.get(mode, max(*pair, 0) if length else 0)
        if min(pair) < 0 or max(pair) > most:
            raise ValueError(
                f"pad: mode {mode!r} adds 0 to {most} entries to an axis of {length}, not {pair}"
            )


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """(..., C r^2, H, W) to (..., C, H r, W r), as `torch.nn.functional.pixel_shuffle`.

    W. Shi and others, "Real-Time Single Image and Video Super-Resolution" (2016).

    >>> import numpy as np
    >>> pixel_shuffle(np.arange(4.0).reshape(4, 1, 1), 2).tolist()
    [[[0.0, 1.0], [2.0, 3.0]]]
    """
    input, (r,) = array(input), whole(upscale_factor, 1, "upscale_factor")
    *lead, channels, h, w = _image(input, "pixel_shuffle")
    if channels % (r * r):
        raise ValueError(f"pixel_shuffle: {channels} channels are not a multiple of {r * r}")
    n = len(lead)
    parts = pnp.reshape(input, (*lead, channels // (r * r), r, r, h, w))
    parts = pnp.transpose(parts, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return pnp.reshape(parts, (*lead, channels // (r * r), h * r, w * r))


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """(..., C, H r, W r) to (..., C r^2, H, W): the inverse of `pixel_shuffle`.

    >>> import numpy as np
    >>> pixel_unshuffle(np.arange(4.0).reshape(1, 2, 2), 2).ravel().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    input, (r,) = array(input), whole(downscale_factor, 1, "downscale_factor")
    *lead, channels, h, w = _image(input, "pixel_unshuffle")
    if h % r or w % r:
        raise ValueError(f"pixel_unshuffle: {h} by {w} is not a multiple of {r}")
    n = len(lead)
    parts = pnp.reshape(input, (*lead, channels, h // r, r, w // r, r))
    parts = pnp.transpose(parts, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return pnp.reshape(parts, (*lead, channels * r * r, h // r, w // r))


def _image(x: Any, name: str) -> tuple[int, ...]:
    """The shape of x; ValueError for fewer axes than channels, height and width."""
    if x.ndim < 3:
        raise ValueError(f"{name} takes an input (..., C, H, W), not of shape {tuple(x.shape)}")
    return tuple(x.shape)


def channel_shuffle(input: Any, groups: int) -> Any:
    """The channels, axis 1, of groups one after the other, as `torch.nn.functional.channel_shuffle`.

    >>> import numpy as np
    >>> channel_shuffle(np.arange(4.0).reshape(1, 4, 1), 2).ravel().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    input, (groups,) = array(input), whole(groups, 1, "groups")
    if input.ndim < 3:
        raise ValueError(f"channel_shuffle takes an input (N, C, ...), not of shape {tuple(input.shape)}")
    batch, channels, *rest = input.shape
    if channels % groups:
        raise ValueError(f"channel_shuffle: {channels} channels are not {groups} groups of equal size")
    parts = pnp.reshape(input, (batch, groups, channels // groups, *rest))
    return pnp.reshape(pnp.swapaxes(parts, 1, 2), input.shape)


_AXES_OF_MODE = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
_NEAREST = ("nearest", "nearest-exact")


def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Any:  # fmt: skip
    """The last one to three axes in other lengths, as `torch.nn.functional.interpolate`.

    input          (N, C, L), (N, C, H, W) or (N, C, D, H, W), of floats
    size           the lengths; or `scale_factor`, by which the given ones are multiplied and rounded down
    mode           "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic" or "area"
    align_corners  the first and last entries stay where they are, instead of the outer edges
    recompute_scale_factor   the factor is that of the rounded lengths
    antialias      "bilinear" and "bicubic" weigh as many entries as an output stands for

    Each axis is multiplied by a matrix of weights. R. G. Keys, "Cubic Convolution Interpolation" (1981), with
    a = -3/4, and -1/2 where it is stretched against aliases. ValueError for other modes, for modes of
    another number of axes, for not one of size and factor, and for options that a mode does not have.

    >>> import numpy as np
    >>> interpolate(np.array([[[1.0, 3.0]]]), 4, mode="linear").ravel().tolist()
    [1.0, 1.5, 2.5, 3.0]
    """
    x = floats(input, "interpolate")
    n = x.ndim - 2
    if not 1 <= n <= 3 or (mode not in (*_NEAREST, "area") and _AXES_OF_MODE.get(mode) != n):
        raise ValueError(f"interpolate has no mode {mode!r} for {n} axes of space")
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate takes size or scale_factor")
    if align_corners is not None and mode in (*_NEAREST, "area"):
        raise ValueError(f"interpolate: align_corners is for linear and cubic modes, not for {mode!r}")
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError(f"interpolate: antialias is for 'bilinear' and 'bicubic', not for {mode!r}")
    factors: tuple[Any, ...] = (None,) * n
    if scale_factor is None:
        if recompute_scale_factor:
            raise ValueError("interpolate: recompute_scale_factor is for scale_factor, not for size")
        sizes = whole(size, n, "size")
    else:
        factors = for_each_axis(scale_factor, n, "scale_factor")
        sizes = tuple(math.floor(length * f) for length, f in zip(x.shape[2:], factors, strict=True))
        if min(sizes) < 1:
            raise ValueError(f"interpolate: factors {factors} leave nothing of {tuple(x.shape[2:])}")
        if recompute_scale_factor:
            factors = (None,) * n
    if mode == "area":
        return adaptive(x, n, sizes)
    for axis, (out, factor) in enumerate(zip(sizes, factors, strict=True), start=2):
        if out == x.shape[axis] and (antialias or mode.endswith("linear")):
            continue  # as in torch, also where a factor of 1.05 would move what is read
        weights = _stretched if antialias else _weights
        matrix = weights(x.shape[axis], out, factor, mode, bool(align_corners)).astype(x.dtype)
        x = pnp.moveaxis(pnp.moveaxis(x, axis, -1) @ matrix.T, -1, axis)
    return x


def _weights(length: int, out: int, factor: float | None, mode: str, aligned: bool) -> Any:
    """The matrix by which an axis gets another length: where each entry is read, and how much of it."""
    step = length / out if factor is None else 1 / factor
    k = np.arange(out)
    matrix = np.zeros((out, length))
    if mode in _NEAREST:
        place = k * step if mode == "nearest" else (k + 0.5) * step
        matrix[k, np.minimum(np.floor(place), length - 1).astype(int)] = 1
        return matrix
    place = k * ((length - 1) / max(out - 1, 1)) if aligned else (k + 0.5) * step - 0.5
    if mode != "bicubic":
        place = np.clip(place, 0, length - 1) if aligned else np.maximum(place, 0)
    first = np.floor(place).astype(int)
    away = place - first
    reach = range(-1, 3) if mode == "bicubic" else range(2)
    for offset in reach:
        distance = np.abs(away - offset)
        weight = _cubic(distance, -0.75) if mode == "bicubic" else 1 - distance
        np.add.at(matrix, (k, np.clip(first + offset, 0, length - 1)), weight)
    return matrix


def _stretched(length: int, out: int, factor: float | None, mode: str, aligned: bool) -> Any:
    """The same against aliases: the kernel as wide as an output's part of the input, with sum 1."""
    step = length / out if factor is None else 1 / factor
    if aligned:
        step = (length - 1) / (out - 1) if out > 1 else 0.0
    width = max(step, 1.0)
    reach = (2 if mode == "bicubic" else 1) * width
    middle = (np.arange(out)[:, None] + 0.5) * step
    place = np.arange(length) + 0.5
    # Of the entries of which a kernel reaches the middle, rounded to whole ones.
    first, end = np.floor(middle - reach + 0.5), np.floor(middle + reach + 0.5)
    distance = np.abs(place - middle) / width
    weight = _cubic(distance, -0.5) if mode == "bicubic" else np.maximum(1 - distance, 0)
    weight = np.where((place > first) & (place < end) & (distance < 2), weight, 0)
    return weight / weight.sum(axis=1, keepdims=True)


def _cubic(distance: Any, a: float) -> Any:
    """Keys's kernel at distances up to 2."""
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(distance <= 1, near, far)
