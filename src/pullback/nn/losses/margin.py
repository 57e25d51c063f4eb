"""Losses that are zero beyond a margin, of scores, of similarities and of distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import numpy as pnp
from ..arguments import expect_indices, expect_shape, floats, integers, values
from ..normalization import pairwise_distance
from .classes import of_class
from .reduction import reduced, signs


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, *, reduction: str = "mean") -> Any:
    """input where the target is 1, max(0, margin - input) where it is -1. ValueError for other targets.

    >>> import numpy as np
    >>> hinge_embedding_loss(np.array([0.25, 0.25]), np.array([1, -1])).item()
    0.5
    """
    x = floats(input, "hinge_embedding_loss")
    same = pnp.greater(signs(target, x, "hinge_embedding_loss"), 0)
    return reduced(pnp.where(same, x, pnp.relu(margin - x)), reduction)


def soft_margin_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    """log(1 + exp(-target input)), for a target of 1 and -1. ValueError for others.

    >>> import numpy as np
    >>> round(soft_margin_loss(np.array([0.0]), np.array([1])).item(), 4)
    0.6931
    """
    x = floats(input, "soft_margin_loss")
    return reduced(pnp.softplus(-signs(target, x, "soft_margin_loss") * x), reduction)


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
    return reduced(pnp.relu(signs(target, x, name) * away + margin), reduction)


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
    picked, weights, _ = of_class(x, target, weight, -1, "multi_margin_loss")
    places = pnp.expand_dims(integers(target, "multi_margin_loss"), -1)
    expect_indices(places, classes, IndexError, f"multi_margin_loss: a target is none of {classes} classes")
    terms = pnp.relu(margin - pnp.expand_dims(picked, -1) + x)
    terms = pnp.where(pnp.equal(np.arange(classes), places), 0, terms)
    return reduced(pnp.sum(terms if p == 1 else terms * terms, axis=-1) / classes * weights, reduction)


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
    return reduced(pnp.sum(counted, axis=(-1, -2)) / classes, reduction)


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
    same = pnp.greater(signs(target, cosine, name), 0)
    return reduced(pnp.where(same, 1 - cosine, pnp.relu(cosine - margin)), reduction)


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
    name = "triplet_margin_loss"
    return _triplet(
        anchor,
        positive,
        negative,
        lambda x, y: pairwise_distance(x, y, p, eps),
        margin,
        swap,
        reduction,
        name,
    )


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
    distance = pairwise_distance if distance_function is None else distance_function
    name = "triplet_margin_with_distance_loss"
    return _triplet(anchor, positive, negative, distance, margin, swap, reduction, name)


def _triplet(
    anchor: Any, positive: Any, negative: Any, distance: Callable[[Any, Any], Any], margin: float, swap: bool,
    reduction: str, name: str,
) -> Any:  # fmt: skip
    if not margin > 0:
        raise ValueError(f"{name}: margin is above 0, not {margin!r}")
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = pnp.minimum(far, distance(positive, negative))
    return reduced(pnp.relu(near - far + margin), reduction)
