"""Losses of predicted classes and distributions: cross-entropies and the divergence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import numpy as pnp
from ... import special
from ..arguments import array, expect_shape, expect_within, floats, known
from .classes import axis_of_classes, of_class
from .reduction import pair, reduced, times


def nll_loss(
    input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """-input at the target's class, as `torch.nn.functional.nll_loss`.

    input (N, C, ...) or (C): log-probabilities; target (N, ...) or (): integers. `weight` (C) is of classes;
    targets `ignore_index` do not count. A mean is over the weights. ValueError for other shapes, IndexError
    for a class that is not there.

    >>> import numpy as np
    >>> nll_loss(np.array([[-1.0, -2.0], [-3.0, -4.0]]), np.array([0, 1])).item()
    2.5
    """
    x = floats(input, "nll_loss")
    picked, weights, _ = of_class(x, target, weight, ignore_index, "nll_loss")
    return reduced(-picked * weights, reduction, pnp.sum(weights))


def cross_entropy(
    input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """`nll_loss` of `log_softmax`, as `torch.nn.functional.cross_entropy`.

    input            (N, C, ...) or (C): scores
    target           integers as in `nll_loss`, or probabilities in the shape of the input
    label_smoothing  the part of the target that all classes share: C. Szegedy and others (2016)

    A mean is over the weights of integers, and over the targets of probabilities. ValueError for other
    shapes, a smoothing outside of 0 to 1, and an `ignore_index` for probabilities.

    >>> import numpy as np
    >>> round(cross_entropy(np.zeros((1, 2)), np.array([1])).item(), 4)
    0.6931
    """
    x, target = floats(input, "cross_entropy"), array(target)
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"cross_entropy: label_smoothing is between 0 and 1, not {label_smoothing!r}")
    axis = axis_of_classes(x, "cross_entropy")
    scores = pnp.log_softmax(x, axis=axis)
    classes = x.shape[axis]
    class_weights = _of_each_class(weight, x, axis)
    if tuple(target.shape) == tuple(x.shape) and target.dtype.kind not in "biu":
        if ignore_index != -100:
            raise ValueError("cross_entropy: ignore_index is for a target of integers, not of probabilities")
        smooth = target * (1 - label_smoothing) + label_smoothing / classes
        loss = -pnp.sum(scores * smooth * class_weights, axis=axis)
        return reduced(loss, reduction, max(loss.size, 1))
    picked, weights, counts = of_class(scores, target, weight, ignore_index, "cross_entropy")
    loss = -picked * weights
    if label_smoothing:
        spread = pnp.where(counts, -pnp.sum(scores * class_weights, axis=axis), 0)
        loss = (1 - label_smoothing) * loss + label_smoothing / classes * spread
    return reduced(loss, reduction, pnp.sum(weights))


def _of_each_class(weight: Any, x: Any, axis: int) -> Any:
    """The weights of classes along their axis."""
    if weight is None:
        return 1.0
    given = expect_shape(weight, (x.shape[axis],), "cross_entropy: weight")
    return pnp.reshape(given, (-1, *(1,) * (x.ndim - axis - 1)))


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, *, reduction: str = "mean"
) -> Any:  # fmt: skip
    """-(t log(p) + (1 - t) log(1 - p)) of probabilities p = input; a logarithm is at least -100, as torch's.

    Where it is -100 its derivative is 0: `binary_cross_entropy_with_logits` has one everywhere. `weight` is
    broadcast. ValueError for other shapes, and for an input outside of 0 to 1.

    >>> import numpy as np
    >>> round(binary_cross_entropy(np.array([0.5]), np.array([1.0])).item(), 4)
    0.6931
    """
    x, target = pair(input, target, "binary_cross_entropy")
    seen = known(x)
    if seen is not None and not np.all((seen >= 0) & (seen <= 1) | np.isnan(seen)):
        raise ValueError("binary_cross_entropy takes probabilities, between 0 and 1: see ..._with_logits")
    yes, no = (_bounded_log(p) for p in (x, 1 - x))
    return times(-(target * yes + (1 - target) * no), weight, reduction, "binary_cross_entropy")


def _bounded_log(p: Any) -> Any:
    """log(p), or -100 where p is less than exp(-100)."""
    below = pnp.less(p, math.exp(-100.0))
    return pnp.where(below, -100.0, pnp.log(pnp.where(below, 1, p)))


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, *, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    """`binary_cross_entropy` of sigmoid(input), which cannot overflow; `pos_weight` is of targets 1.

    `weight` and `pos_weight` are broadcast. ValueError for other shapes.

    >>> import numpy as np
    >>> round(binary_cross_entropy_with_logits(np.array([0.0]), np.array([1.0])).item(), 4)
    0.6931
    """
    name = "binary_cross_entropy_with_logits"
    x, target = pair(input, target, name)
    of_yes = target
    if pos_weight is not None:
        of_yes = target * expect_within(pos_weight, x.shape, f"{name}: pos_weight")
    loss = of_yes * pnp.softplus(-x) + (1 - target) * pnp.softplus(x)
    return times(loss, weight, reduction, name)


def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, *, reduction: str = "mean"
) -> Any:  # fmt: skip
    """`binary_cross_entropy_with_logits`, of which the mean over the last axis is taken first.

    `weight` is broadcast. ValueError for other shapes.

    >>> import numpy as np
    >>> round(multilabel_soft_margin_loss(np.zeros((1, 2)), np.ones((1, 2))).item(), 4)
    0.6931
    """
    loss = binary_cross_entropy_with_logits(input, target, weight, reduction="none")
    return reduced(pnp.mean(loss, axis=-1), reduction)


def kl_div(
    input: Any, target: Any, *, reduction: str = "mean", log_target: bool = False
) -> Any:  # fmt: skip
    """target (log(target) - input), as `torch.nn.functional.kl_div`: the divergence of Kullback and Leibler.

    The input is a logarithm, and with `log_target` the target too. `reduction` may be "batchmean", the sum
    over the first length. ValueError for other shapes.

    >>> import numpy as np
    >>> kl_div(np.log([0.5, 0.5]), np.array([0.5, 0.5])).item()
    0.0
    """
    x, target = pair(input, target, "kl_div")
    loss = _divergence(x, target, log_target)
    if reduction != "batchmean":
        return reduced(loss, reduction)
    if not x.ndim:
        raise ValueError("kl_div: 'batchmean' is of an input with a first axis")
    return pnp.sum(loss) / x.shape[0]


def _divergence(x: Any, target: Any, log_target: bool) -> Any:
    """The terms of target (log(target) - x)."""
    if log_target:
        return pnp.exp(target) * (target - x)
    return special.xlogy(target, target) - target * x
