"""Gradients of normalizations, made of functions that have derivatives themselves.

y = h w + b with h = (x - m) r, the mean m and r = (v + eps)**(-1/2) of each group of n entries. With g the
gradient by h: dx = r (g - mean(g) - h mean(g h)), and of m and r themselves 1/n and -r**2 h / n.
"""

from __future__ import annotations

from typing import Any

from pullback import aten


def _by_groups(g: Any, x: Any, mean: Any, rstd: Any, grad_mean: Any, grad_rstd: Any) -> Any:
    """The gradient of x, of shape (groups, n), by its normalized values, its means and its r."""
    n = x.shape[-1]
    h = (x - mean) * rstd
    total = None
    if g is not None:
        along = aten.mean(g * h, (-1,), True)
        total = rstd * (g - aten.mean(g, (-1,), True) - h * along)
    for part in (
        None if grad_mean is None else aten.expand(grad_mean / n, x.shape),
        None if grad_rstd is None else -grad_rstd * rstd * rstd * h / n,
    ):
        total = part if total is None else total if part is None else total + part
    return total


def infinitely_differentiable_native_group_norm_backward(
    grad: Any,
    grad_mean: Any,
    grad_rstd: Any,
    x: Any,
    mean: Any,
    rstd: Any,
    weight: Any,
    n: int,
    channels: int,
    size: int,
    groups: int,
    eps: float,
    needed: tuple[bool, ...],
) -> Any:
    """Of the input, the weight and the bias of a normalization over groups of channels."""
    flat = aten.reshape(x, (n * groups, channels // groups * size))
    own_mean, own_rstd = (aten.reshape(given, (n * groups, 1)) for given in (mean, rstd))
    grad_mean, grad_rstd = (
        None if given is None else aten.reshape(given, (n * groups, 1)) for given in (grad_mean, grad_rstd)
    )
    grad_x = grad_weight = grad_bias = None
    plane = (n, channels, size)
    if needed[0]:
        g = None
        if grad is not None:
            g = aten.reshape(grad, plane)
            g = g if weight is None else g * aten.reshape(weight, (1, channels, 1))
            g = aten.reshape(g, (n * groups, channels // groups * size))
        grad_x = _by_groups(g, flat, own_mean, own_rstd, grad_mean, grad_rstd)
        grad_x = None if grad_x is None else aten.reshape(grad_x, x.shape)
    if grad is not None and needed[1]:
        h = aten.reshape((flat - own_mean) * own_rstd, plane)
        grad_weight = aten.sum(aten.reshape(grad, plane) * h, (0, 2))
    if grad is not None and needed[2]:
        grad_bias = aten.sum(aten.reshape(grad, plane), (0, 2))
    return grad_x, grad_weight, grad_bias


def infinitely_differentiable_native_rms_norm_backward(
    grad: Any, grad_rstd: Any, x: Any, shape: Any, rstd: Any, weight: Any, needed: tuple[bool, ...]
) -> Any:
    """y = x r w with r = (mean(x**2) + eps)**(-1/2): dx = r (g - x r mean(g x r)), dr = -r**3 x / n dx."""
    reduced = tuple(range(x.ndim - len(shape), x.ndim))
    n = 1
    for length in shape:
        n *= length
    h = x * rstd
    grad_x = grad_weight = None
    if grad is not None and needed[0]:
        g = grad if weight is None else grad * weight
        grad_x = rstd * (g - h * aten.mean(g * h, reduced, True))
    if grad_rstd is not None and needed[0]:
        part = -grad_rstd * rstd * rstd * h / n
        grad_x = part if grad_x is None else grad_x + part
    if grad is not None and needed[1]:
        lead = tuple(range(x.ndim - len(shape)))
        grad_weight = aten.sum(grad * h, lead) if lead else grad * h
    return grad_x, grad_weight


def _weight_norm_differentiable_backward(grad: Any, v: Any, g: Any, norms: Any, dim: int) -> Any:
    """w = v g / |v|, normed along all axes but one: (g/|v|) (G - v sum(G v)/|v|**2), and sum(G v)/|v|."""
    others = tuple(axis for axis in range(v.ndim) if axis != dim % v.ndim)
    norms = aten.reshape(norms, g.shape)
    along = aten.sum(grad * v, others, True)
    grad_v = (g / norms) * (grad - v * (along / (norms * norms)))
    return grad_v, along / norms
