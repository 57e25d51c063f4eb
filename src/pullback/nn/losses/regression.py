"""Losses of predicted values: squared, absolute, and the likelihoods of Gauss and Poisson."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import numpy as pnp
from ...engine.primitives.plumbing import stop_gradient
from ..arguments import expect_shape, expect_within, floats, known
from .reduction import pair, reduced, times, weighted


def mse_loss(input: Any, target: Any, *, reduction: str = "mean", weight: Any = None) -> Any:
    """(input - target)^2; `weight`, of the same shape, multiplies it, and divides a mean by its sum.

    >>> import numpy as np
    >>> mse_loss(np.array([1.0, 3.0]), np.zeros(2)).item()
    5.0
    """
    x, target = pair(input, target, "mse_loss")
    return weighted((x - target) ** 2, weight, reduction, "mse_loss")


def l1_loss(input: Any, target: Any, *, reduction: str = "mean", weight: Any = None) -> Any:
    """abs(input - target); `weight` as in `mse_loss`.

    >>> import numpy as np
    >>> l1_loss(np.array([1.0, 3.0]), np.zeros(2)).item()
    2.0
    """
    x, target = pair(input, target, "l1_loss")
    return weighted(pnp.abs(x - target), weight, reduction, "l1_loss")


def smooth_l1_loss(input: Any, target: Any, *, reduction: str = "mean", beta: float = 1.0) -> Any:
    """`huber_loss` over beta, and `l1_loss` for a beta of 0. R. Girshick, "Fast R-CNN" (2015).

    >>> import numpy as np
    >>> smooth_l1_loss(np.array([2.0]), np.zeros(1)).item()
    1.5
    """
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return huber_loss(input, target, reduction, beta) / beta


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """d^2 / 2 where d = abs(input - target) is below delta, else delta (d - delta / 2). P. J. Huber (1964).

    `weight`, of the same shape, multiplies it; a mean is over entries. ValueError for a delta that is not
    above 0.

    >>> import numpy as np
    >>> huber_loss(np.array([2.0]), np.zeros(1)).item()
    1.5
    """
    if not delta > 0:
        raise ValueError(f"huber_loss: delta is above 0, not {delta!r}")
    x, target = pair(input, target, "huber_loss")
    away = x - target
    distance = pnp.abs(away)
    loss = pnp.where(pnp.less(distance, delta), 0.5 * away * away, delta * (distance - 0.5 * delta))
    weight = weight if weight is None else expect_shape(weight, x.shape, "huber_loss: weight")
    return times(loss, weight, reduction, "huber_loss")


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, *, eps: float = 1e-8,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """exp(input) - target input, or input - target log(input + eps) where it is no log.

    `full` adds Stirling's approximation of log(target!) for targets above 1. ValueError for other shapes.

    >>> import numpy as np
    >>> poisson_nll_loss(np.array([0.0]), np.array([2.0])).item()
    1.0
    """
    x, target = pair(input, target, "poisson_nll_loss")
    loss = pnp.exp(x) - target * x if log_input else x - target * pnp.log(x + eps)
    if full:
        above = pnp.greater(target, 1)
        large = pnp.where(above, target, 1)
        stirling = large * pnp.log(large) - large + 0.5 * pnp.log(2 * math.pi * large)
        loss = loss + pnp.where(above, stirling, 0)
    return reduced(loss, reduction)


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """(log(var) + (input - target)^2 / var) / 2; `full` adds log(2 pi) / 2.

    `var` is a number or has the shape of the input, where one length may be 1, or that without the last
    length. Where it is below eps it counts as eps, and its gradient is that at eps, as in torch. ValueError
    for other shapes and a var below 0.

    >>> import numpy as np
    >>> gaussian_nll_loss(np.array([2.0]), np.zeros(1), np.ones(1)).item()
    2.0
    """
    x, target = pair(input, target, "gaussian_nll_loss")
    var = floats(float(var) if isinstance(var, int) else var, "gaussian_nll_loss: var")
    seen = known(var)
    if seen is not None and np.any(seen < 0):
        raise ValueError("gaussian_nll_loss takes a var that is not below 0")
    if var.ndim and tuple(var.shape) == tuple(x.shape[:-1]):
        var = pnp.expand_dims(var, -1)
    if var.ndim:
        var = expect_within(var, x.shape, "gaussian_nll_loss: var")
        if var.ndim != x.ndim:
            raise ValueError(f"gaussian_nll_loss: var of {var.ndim} axes for an input of {x.ndim}")
    var = var + stop_gradient(pnp.maximum(var, eps) - var)
    loss = 0.5 * (pnp.log(var) + (x - target) ** 2 / var)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)
