"""Tangents of normalizations.

y = h w + b with h = (x - m) r: dh = r (dx - mean(dx) - h mean(h dx)), and dr = -r**2 mean(h dx).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pullback import aten


def _scaled(h: Any, h_t: Any, weight: Any, weight_t: Any, bias_t: Any) -> Any:
    """The tangent of h w + b."""
    made = h_t if weight is None else h_t * weight
    if weight_t is not None:
        made = made + h * weight_t
    return made if bias_t is None else made + bias_t


def _normalized(x: Any, x_t: Any, mean: Any, rstd: Any, axes: Sequence[int]) -> tuple[Any, Any]:
    """h and its tangent, of groups of entries along axes."""
    h = (x - mean) * rstd
    return h, rstd * (x_t - aten.mean(x_t, axes, True) - h * aten.mean(h * x_t, axes, True))


def batch_norm_jvp(
    x: Any,
    x_t: Any,
    weight: Any,
    weight_t: Any,
    bias: Any,
    bias_t: Any,
    running_mean: Any,
    running_var: Any,
    mean: Any,
    rstd: Any,
    training: bool,
    eps: float,
) -> Any:
    """Of a normalization of channels: by the batch's moments, or by running ones, which are constants."""
    shape = [1, -1] + [1] * (x.ndim - 2)
    weight, weight_t, bias_t, running_mean, running_var, mean, rstd = (
        None if given is None else aten.reshape(given, shape)
        for given in (weight, weight_t, bias_t, running_mean, running_var, mean, rstd)
    )
    if training:
        h, h_t = _normalized(x, x_t, mean, rstd, [axis for axis in range(x.ndim) if axis != 1])
    else:
        rstd = aten.rsqrt(running_var + eps)
        h, h_t = (x - running_mean) * rstd, x_t * rstd
    return _scaled(h, h_t, weight, weight_t, bias_t)


def layer_norm_jvp(
    x: Any,
    x_t: Any,
    weight: Any,
    weight_t: Any,
    bias: Any,
    bias_t: Any,
    mean: Any,
    rstd: Any,
    shape: Sequence[int],
) -> Any:
    """Of a normalization along the last axes, of this shape."""
    h, h_t = _normalized(x, x_t, mean, rstd, range(x.ndim - len(shape), x.ndim))
    return _scaled(h, h_t, weight, weight_t, bias_t)


def _grouped(x: Any, groups: int) -> Any:
    return aten.reshape(x, (x.shape[0], groups, math.prod(x.shape[1:]) // groups))


def group_norm_jvp(
    x: Any,
    x_t: Any,
    weight: Any,
    weight_t: Any,
    bias: Any,
    bias_t: Any,
    mean: Any,
    rstd: Any,
    groups: int,
) -> Any:
    """Of a normalization of groups of channels."""
    mean, rstd = (aten.reshape(given, (x.shape[0], groups, 1)) for given in (mean, rstd))
    h, h_t = _normalized(_grouped(x, groups), _grouped(x_t, groups), mean, rstd, (2,))
    shape = [1, -1] + [1] * (x.ndim - 2)
    weight, weight_t, bias_t = (
        None if given is None else aten.reshape(given, shape) for given in (weight, weight_t, bias_t)
    )
    return _scaled(aten.reshape(h, x.shape), aten.reshape(h_t, x.shape), weight, weight_t, bias_t)


def group_norm_mean_jvp(x_t: Any, mean: Any, groups: int) -> Any:
    """The mean of the tangent."""
    return aten.reshape(aten.mean(_grouped(x_t, groups), (2,)), mean.shape)


def group_norm_invstd_jvp(x: Any, x_t: Any, mean: Any, rstd: Any, groups: int) -> Any:
    """dr = -r**2 mean(h dx)."""
    column = (x.shape[0], groups, 1)
    h = (_grouped(x, groups) - aten.reshape(mean, column)) * aten.reshape(rstd, column)
    along = aten.reshape(aten.mean(h * _grouped(x_t, groups), (2,)), rstd.shape)
    return -rstd * rstd * along


def rms_norm_rstd_jvp(x: Any, x_t: Any, rstd: Any, shape: Sequence[int]) -> Any:
    """r = (mean(x**2) + eps)**(-1/2): dr = -r**3 mean(x dx)."""
    axes = range(x.ndim - len(shape), x.ndim)
    return -rstd * rstd * rstd * aten.mean(x * x_t, axes, True)


def rms_norm_jvp(x: Any, x_t: Any, weight: Any, weight_t: Any, rstd: Any, shape: Sequence[int]) -> Any:
    """y = x r w."""
    h_t = x_t * rstd + x * rms_norm_rstd_jvp(x, x_t, rstd, shape)
    return _scaled(x * rstd, h_t, weight, weight_t, None)
