"""Losses, with torch's options: `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import numpy as pnp
from .. import special
from ..engine.primitives.plumbing import stop_gradient
from .arguments import array, expect_indices, expect_shape, expect_within, floats, integers, known, values
from .normalization import pairwise_distance


def _reduced(loss: Any, reduction: str, weight: Any = None) -> Any:
    """The loss as it is, its sum, or its mean, which a weight divides where it is given."""
    if reduction == "none":
        return loss
    if reduction == "sum":
        return pnp.sum(loss)
    if reduction != "mean":
        raise ValueError(f"reduction is 'none', 'mean' or 'sum', not {reduction!r}")
    return pnp.mean(loss) if weight is None else pnp.sum(loss) / weight


def _pair(input: Any, target: Any, name: str) -> tuple[Any, Any]:
    """Input and target of one shape, in floats: integers in the input's dtype, which they would widen."""
    x = floats(input, name)
    return x, _as_floats(expect_shape(target, x.shape, f"{name}: a target for this input"), x)


def _as_floats(target: Any, x: Any) -> Any:
    return target.astype(x.dtype) if target.dtype.kind in "biu" else target


def _signs(target: Any, x: Any, name: str) -> Any:
    """A target of 1 and -1 in the dtype of x. ValueError for other values."""
    found = _as_floats(expect_within(target, x.shape, f"{name}: a target"), x)
    seen = known(found)
    if seen is not None and not np.all(np.abs(seen) == 1):
        raise ValueError(f"{name} takes a target of 1 and -1")
    return found


def _weighted(loss: Any, weight: Any, reduction: str, name: str) -> Any:
    """A loss of weighted entries, whose mean is over the weights."""
    if weight is None:
        return _reduced(loss, reduction)
    weight = expect_shape(weight, loss.shape, f"{name}: weight")
    return _reduced(loss * weight, reduction, pnp.sum(weight))


def mse_loss(input: Any, target: Any, *, reduction: str = "mean", weight: Any = None) -> Any:
    """(input - target)^2; `weight`, of the same shape, multiplies it, and divides a mean by its sum.

    >>> import numpy as np
    >>> mse_loss(np.array([1.0, 3.0]), np.zeros(2)).item()
    5.0
    """
    x, target = _pair(input, target, "mse_loss")
    return _weighted((x - target) ** 2, weight, reduction, "mse_loss")


def l1_loss(input: Any, target: Any, *, reduction: str = "mean", weight: Any = None) -> Any:
    """abs(input - target); `weight` as in `mse_loss`.

    >>> import numpy as np
    >>> l1_loss(np.array([1.0, 3.0]), np.zeros(2)).item()
    2.0
    """
    x, target = _pair(input, target, "l1_loss")
    return _weighted(pnp.abs(x - target), weight, reduction, "l1_loss")


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
    x, target = _pair(input, target, "huber_loss")
    away = x - target
    distance = pnp.abs(away)
    loss = pnp.where(pnp.less(distance, delta), 0.5 * away * away, delta * (distance - 0.5 * delta))
    weight = weight if weight is None else expect_shape(weight, x.shape, "huber_loss: weight")
    return _times(loss, weight, reduction, "huber_loss")


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
    picked, weights, _ = _of_class(x, target, weight, ignore_index, "nll_loss")
    return _reduced(-picked * weights, reduction, pnp.sum(weights))


def _axis_of_classes(x: Any, name: str) -> int:
    if x.ndim < 1:
        raise ValueError(f"{name} takes an input (C) or (N, C, ...), not of shape ()")
    return 0 if x.ndim == 1 else 1


def _of_class(x: Any, target: Any, weight: Any, ignore_index: int, name: str) -> tuple[Any, Any, Any]:
    """The entries at the target's classes, the weights of those, and where a target counts."""
    axis = _axis_of_classes(x, name)
    expected = (*x.shape[:axis], *x.shape[axis + 1 :])
    places = expect_shape(integers(target, name), expected, f"{name}: a target for this input")
    counts = pnp.not_equal(places, ignore_index)
    places = pnp.where(counts, places, 0)
    classes = x.shape[axis]
    expect_indices(places, classes, IndexError, f"{name}: a target is outside of the {classes} classes")
    picked = pnp.squeeze(pnp.take_along_axis(x, pnp.expand_dims(places, axis), axis), axis)
    if weight is None:
        weights = counts.astype(x.dtype)
    else:
        weights = pnp.where(counts, pnp.take(expect_shape(weight, (classes,), f"{name}: weight"), places), 0)
    return pnp.where(counts, picked, 0), weights, counts


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
    axis = _axis_of_classes(x, "cross_entropy")
    scores = pnp.log_softmax(x, axis=axis)
    classes = x.shape[axis]
    of_class = _of_each_class(weight, x, axis)
    if tuple(target.shape) == tuple(x.shape) and target.dtype.kind not in "biu":
        if ignore_index != -100:
            raise ValueError("cross_entropy: ignore_index is for a target of integers, not of probabilities")
        smooth = target * (1 - label_smoothing) + label_smoothing / classes
        loss = -pnp.sum(scores * smooth * of_class, axis=axis)
        return _reduced(loss, reduction, max(loss.size, 1))
    picked, weights, counts = _of_class(scores, target, weight, ignore_index, "cross_entropy")
    loss = -picked * weights
    if label_smoothing:
        spread = pnp.where(counts, -pnp.sum(scores * of_class, axis=axis), 0)
        loss = (1 - label_smoothing) * loss + label_smoothing / classes * spread
    return _reduced(loss, reduction, pnp.sum(weights))


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
    x, target = _pair(input, target, "binary_cross_entropy")
    seen = known(x)
    if seen is not None and not np.all((seen >= 0) & (seen <= 1) | np.isnan(seen)):
        raise ValueError("binary_cross_entropy takes probabilities, between 0 and 1: see ..._with_logits")
    yes, no = (_bounded_log(p) for p in (x, 1 - x))
    return _times(-(target * yes + (1 - target) * no), weight, reduction, "binary_cross_entropy")


def _times(loss: Any, weight: Any, reduction: str, name: str) -> Any:
    """A loss times a weight, whose mean is over entries."""
    if weight is not None:
        loss = loss * expect_within(weight, loss.shape, f"{name}: weight")
    return _reduced(loss, reduction)


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
    x, target = _pair(input, target, name)
    of_yes = target
    if pos_weight is not None:
        of_yes = target * expect_within(pos_weight, x.shape, f"{name}: pos_weight")
    loss = of_yes * pnp.softplus(-x) + (1 - target) * pnp.softplus(x)
    return _times(loss, weight, reduction, name)


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
    x, target = _pair(input, target, "kl_div")
    loss = _divergence(x, target, log_target)
    if reduction != "batchmean":
        return _reduced(loss, reduction)
    if not x.ndim:
        raise ValueError("kl_div: 'batchmean' is of an input with a first axis")
    return pnp.sum(loss) / x.shape[0]


def _divergence(x: Any, target: Any, log_target: bool) -> Any:
    """The terms of target (log(target) - x)."""
    if log_target:
        return pnp.exp(target) * (target - x)
    return special.xlogy(target, target) - target * x


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, *, reduction: str = "mean") -> Any:
    """input where the target is 1, max(0, margin - input) where it is -1. ValueError for other targets.

    >>> import numpy as np
    >>> hinge_embedding_loss(np.array([0.25, 0.25]), np.array([1, -1])).item()
    0.5
    """
    x = floats(input, "hinge_embedding_loss")
    same = pnp.greater(_signs(target, x, "hinge_embedding_loss"), 0)
    return _reduced(pnp.where(same, x, pnp.relu(margin - x)), reduction)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, *, reduction: str = "mean"
) -> Any:
    """max(0, -target (input1 - input2) + margin), for a target of 1 and -1. ValueError for others.

    >>> import numpy as np
    >>> margin_ranking_loss(np.array([1.0]), np.array([3.0]), np.array([1])).item()
    2.0
    """
    name = "margin_ranking_loss"
    x = floats(input1, name)
    away = expect_shape(floats(input2, name), x.shape, f"{name}: input2 for this input1") - x
    return _reduced(pnp.relu(_signs(target, x, name) * away + margin), reduction)


def soft_margin_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    """log(1 + exp(-target input)), for a target of 1 and -1. ValueError for others.

    >>> import numpy as np
    >>> round(soft_margin_loss(np.array([0.0]), np.array([1])).item(), 4)
    0.6931
    """
    x = floats(input, "soft_margin_loss")
    return _reduced(pnp.softplus(-_signs(target, x, "soft_margin_loss") * x), reduction)


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, *, reduction: str = "mean"
) -> Any:
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1.

    input1 and input2 (N, D) or (D), target (N) or (). Squared lengths gain 1e-12, so that a vector of zeros
    has a cosine. ValueError for other shapes and targets.

    >>> import numpy as np
    >>> cosine_embedding_loss(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.array([1])).item()
    1.0
    """
    name = "cosine_embedding_loss"
    x = floats(input1, name)
    y = expect_shape(floats(input2, name), x.shape, f"{name}: input2 for this input1")
    if x.ndim not in (1, 2):
        raise ValueError(f"{name} takes inputs (N, D) or (D), not of shape {tuple(x.shape)}")
    squares = (pnp.sum(x * x, axis=-1) + 1e-12) * (pnp.sum(y * y, axis=-1) + 1e-12)
    cosine = pnp.sum(x * y, axis=-1) / pnp.sqrt(squares)
    same = pnp.greater(_signs(target, cosine, name), 0)
    return _reduced(pnp.where(same, 1 - cosine, pnp.relu(cosine - margin)), reduction)


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6,
    swap: bool = False, *, reduction: str = "mean",
) -> Any:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d of `pairwise_distance`.

    With `swap` the smaller of the distances of the negative to both. V. Balntas and others (2016). ValueError
    for a margin that is not above 0.

    >>> import numpy as np
    >>> triplet_margin_loss(np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)), eps=0.0).item()
    1.0
    """
    if not margin > 0:
        raise ValueError(f"triplet_margin_loss: margin is above 0, not {margin!r}")
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = pnp.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced(pnp.relu(near - far + margin), reduction)


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
    x, target = _pair(input, target, "poisson_nll_loss")
    loss = pnp.exp(x) - target * x if log_input else x - target * pnp.log(x + eps)
    if full:
        above = pnp.greater(target, 1)
        large = pnp.where(above, target, 1)
        stirling = large * pnp.log(large) - large + 0.5 * pnp.log(2 * math.pi * large)
        loss = loss + pnp.where(above, stirling, 0)
    return _reduced(loss, reduction)


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
    x, target = _pair(input, target, "gaussian_nll_loss")
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
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, *, reduction: str = "mean"
) -> Any:
    """Mean over other classes j of max(0, margin - x_y + x_j)^p, with its y-th term 0.

    input (N, C) or (C), target (N) or () integers, `weight` (C) of classes. ValueError for a p that is not 1
    or 2, and for other shapes; IndexError for a class that is not there.

    >>> import numpy as np
    >>> multi_margin_loss(np.array([[0.5, 0.0]]), np.array([0])).item()
    0.25
    """
    x = floats(input, "multi_margin_loss")
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: p is 1 or 2, not {p!r}")
    if x.ndim not in (1, 2):
        raise ValueError(f"multi_margin_loss takes an input (N, C) or (C), not of shape {tuple(x.shape)}")
    classes = x.shape[-1]
    picked, weights, _ = _of_class(x, target, weight, -1, "multi_margin_loss")
    places = pnp.expand_dims(integers(target, "multi_margin_loss"), -1)
    expect_indices(places, classes, IndexError, f"multi_margin_loss: a target is none of {classes} classes")
    terms = pnp.relu(margin - pnp.expand_dims(picked, -1) + x)
    terms = pnp.where(pnp.equal(np.arange(classes), places), 0, terms)
    return _reduced(pnp.sum(terms if p == 1 else terms * terms, axis=-1) / classes * weights, reduction)


def multilabel_margin_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Sum over labels j and others i of max(0, 1 - x_j + x_i), over the number of classes.

    input (N, C) or (C); target of the same shape, integers: the labels, and then -1. ValueError for other
    shapes, IndexError for a class that is not there.

    >>> import numpy as np
    >>> multilabel_margin_loss(np.array([0.0, 0.5]), np.array([1, -1])).item()
    0.25
    """
    name = "multilabel_margin_loss"
    x = floats(input, name)
    places = values(expect_shape(integers(target, name), x.shape, f"{name}: a target for this input"))
    if x.ndim not in (1, 2):
        raise ValueError(f"multilabel_margin_loss takes (N, C) or (C), not of shape {tuple(x.shape)}")
    classes = x.shape[-1]
    named = np.logical_and.accumulate(places >= 0, axis=-1)
    places = np.where(named, places, 0)
    message = f"multilabel_margin_loss: a target is none of the {classes} classes"
    expect_indices(places, classes, IndexError, message)
    is_label = np.any((places[..., None] == np.arange(classes)) & named[..., None], axis=-2)
    labels = pnp.expand_dims(pnp.take_along_axis(x, places, -1), -1)
    terms = pnp.relu(1 - labels + pnp.expand_dims(x, -2))
    counted = pnp.where(named[..., None] & ~is_label[..., None, :], terms, 0)
    return _reduced(pnp.sum(counted, axis=(-1, -2)) / classes, reduction)


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
    return _reduced(pnp.mean(loss, axis=-1), reduction)


def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0, swap: bool = False, reduction: str = "mean",
) -> Any:  # fmt: skip
    """`triplet_margin_loss` by a distance of two arguments, which is `pairwise_distance` where it is None.

    >>> import numpy as np
    >>> square = lambda x, y: ((x - y) ** 2).sum(-1)
    >>> one = np.ones((1, 1))
    >>> triplet_margin_with_distance_loss(0 * one, one, 2 * one, distance_function=square).item()
    0.0
    """
    if not margin > 0:
        raise ValueError(f"triplet_margin_with_distance_loss: margin is above 0, not {margin!r}")
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = pnp.minimum(far, distance(positive, negative))
    return _reduced(pnp.relu(near - far + margin), reduction)
