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


def _backward_twice(u: Any, a: Any, h: Any, rstd: Any, axes: Any) -> tuple[Any, Any]:
    """The gradients by u and by x of the inner product of a with r P(u), P(u) = u - mean(u) - h mean(u h).

    By u it is r P(a), for P is symmetric. By x there are three parts: r changes by -r**2 h / n, and each of
    the two h by r P.
    """

    def mean(values: Any) -> Any:
        return aten.mean(values, axes, True)

    def projected(values: Any) -> Any:
        return values - mean(values) - h * mean(values * h)

    along_a, along_u = mean(a * h), mean(u * h)
    product = mean(a * u) - mean(a) * mean(u) - along_a * along_u
    by_x = -rstd * rstd * (h * product + along_u * projected(a) + along_a * projected(u))
    return rstd * projected(a), by_x


def _sum(values: Any, axes: Any) -> Any:
    return aten.sum(values, axes) if axes else values


def layer_norm_double_backward(
    x: Any,
    weight: Any,
    grad_x: Any,
    grad_weight: Any,
    grad_bias: Any,
    grad: Any,
    mean: Any,
    rstd: Any,
    shape: Any,
    needed: tuple[bool, ...],
) -> Any:
    """Of the input, the weight and the gradient in r P(g w), sum(g h) and sum(g), along the last axes."""
    lead = x.ndim - len(shape)
    axes, rows = tuple(range(lead, x.ndim)), tuple(range(lead))
    h = (x - mean) * rstd
    of_x = of_weight = None
    parts = []
    if grad_x is not None:
        u = grad if weight is None else grad * weight
        by_u, of_x = _backward_twice(u, grad_x, h, rstd, axes)
        parts.append(by_u if weight is None else by_u * weight)
        of_weight = None if weight is None else _sum(by_u * grad, rows)
    if grad_weight is not None:
        parts.append(h * grad_weight)
        part = _projected(grad * grad_weight, h, rstd, axes)
        of_x = part if of_x is None else of_x + part
    if grad_bias is not None:
        parts.append(aten.expand(grad_bias, grad.shape))
    return of_x, of_weight, sum(parts[1:], parts[0]) if parts else None


def _projected(u: Any, h: Any, rstd: Any, axes: Any) -> Any:
    """r P(u)."""
    return rstd * (u - aten.mean(u, axes, True) - h * aten.mean(u * h, axes, True))


def batchnorm_double_backward(
    x: Any,
    weight: Any,
    grad_x: Any,
    grad_weight: Any,
    grad_bias: Any,
    grad: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    eps: float,
    save_mean: Any,
    save_rstd: Any,
    needed: tuple[bool, ...],
) -> Any:
    """The same for channels, by the batch's moments; running ones are constants, and h is linear in x."""
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    channel = [1, -1] + [1] * (x.ndim - 2)

    def column(given: Any) -> Any:
        return None if given is None else aten.reshape(given, channel)

    weight, grad_weight, grad_bias = map(column, (weight, grad_weight, grad_bias))
    if training:
        mean, rstd = column(save_mean), column(save_rstd)
    else:
        mean, rstd = column(running_mean), aten.rsqrt(column(running_var) + eps)
    h = (x - mean) * rstd
    of_x = of_weight = None
    parts = []
    if grad_x is not None:
        u = grad if weight is None else grad * weight
        by_u, of_x = _backward_twice(u, grad_x, h, rstd, axes) if training else (rstd * grad_x, None)
        parts.append(by_u if weight is None else by_u * weight)
        of_weight = None if weight is None else aten.sum(by_u * grad, axes)
    if grad_weight is not None:
        parts.append(h * grad_weight)
        u = grad * grad_weight
        part = _projected(u, h, rstd, axes) if training else rstd * u
        of_x = part if of_x is None else of_x + part
    if grad_bias is not None:
        parts.append(aten.expand(grad_bias, grad.shape))
    return of_x, of_weight, sum(parts[1:], parts[0]) if parts else None
