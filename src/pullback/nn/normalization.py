"""Normalizations: of layers, batches, groups and instances, of vectors to length one, and distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import numpy as pnp
from .arguments import expect_shape, floats, whole
from .windows import padded, taps


def _standardized(x: Any, axes: tuple[int, ...], eps: float) -> Any:
    """x less its mean over axes, over its standard deviation there."""
    away = x - pnp.mean(x, axis=axes, keepdims=True)
    return away / pnp.sqrt(pnp.mean(away * away, axis=axes, keepdims=True) + eps)


def _last(normalized_shape: Any, x: Any, name: str) -> tuple[int, ...]:
    """The lengths of a normalized shape, which are the last of x."""
    count = len(normalized_shape) if isinstance(normalized_shape, Sequence) else 1
    if not count:
        raise ValueError(f"{name}: normalized_shape has at least one length")
    shape = whole(normalized_shape, count, "normalized_shape")
    if tuple(x.shape[max(x.ndim - count, 0) :]) != shape:
        raise ValueError(f"{name}: the last lengths of shape {tuple(x.shape)} are not {shape}")
    return shape


def _scaled(y: Any, weight: Any, bias: Any, name: str) -> Any:
    """Times a weight and plus a bias for each channel, axis 1."""
    if weight is not None:
        y = y * _of_channels(weight, y, f"{name}: weight")
    return y if bias is None else y + _of_channels(bias, y, f"{name}: bias")


def _of_channels(value: Any, y: Any, name: str) -> Any:
    """An entry for each channel, in axis 1 of y's."""
    return pnp.reshape(expect_shape(value, y.shape[1:2], name), (-1, *(1,) * (y.ndim - 2)))


def layer_norm(
    input: Any, normalized_shape: int | Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Mean 0 and variance 1 over the last axes, as `torch.nn.functional.layer_norm`.

    weight and bias have the normalized shape, which is the end of the input's. ValueError for others.
    J. L. Ba and others, "Layer Normalization" (2016).

    >>> import numpy as np
    >>> layer_norm(np.array([1.0, 3.0]), (2,), eps=0.0).tolist()
    [-1.0, 1.0]
    """
    x = floats(input, "layer_norm")
    shape = _last(normalized_shape, x, "layer_norm")
    y = _standardized(x, tuple(range(-len(shape), 0)), eps)
    y = y if weight is None else y * expect_shape(weight, shape, "layer_norm: weight")
    return y if bias is None else y + expect_shape(bias, shape, "layer_norm: bias")


def rms_norm(
    input: Any, normalized_shape: int | Sequence[int], weight: Any = None, eps: float | None = None
) -> Any:
    """x over its root mean square over the last axes, as `torch.nn.functional.rms_norm`.

    weight has the normalized shape. `eps` None is the dtype's. ValueError for other shapes. B. Zhang and
    R. Sennrich, "Root Mean Square Layer Normalization" (2019).

    >>> import numpy as np
    >>> rms_norm(np.array([3.0, 3.0]), (2,), eps=0.0).tolist()
    [1.0, 1.0]
    """
    x = floats(input, "rms_norm")
    shape = _last(normalized_shape, x, "rms_norm")
    eps = float(np.finfo(x.dtype).eps) if eps is None else eps
    y = x / pnp.sqrt(pnp.mean(x * x, axis=tuple(range(-len(shape), 0)), keepdims=True) + eps)
    return y if weight is None else y * expect_shape(weight, shape, "rms_norm: weight")


def batch_norm(
    input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
    training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """Mean 0 and variance 1 of each channel, axis 1, as `torch.nn.functional.batch_norm`.

    input (N, C, ...), all else (C). In training by the batch's own mean and variance; else by those that are
    given. Nothing is written into: in training give None for both and compute the running ones where you
    keep them, so that `momentum` has no meaning here. S. Ioffe and C. Szegedy, "Batch Normalization" (2015).
    ValueError for statistics in training, for none outside of it, for one entry of a channel in training,
    and for other shapes.

    >>> import numpy as np
    >>> batch_norm(np.array([[1.0], [3.0]]), None, None, training=True, eps=0.0).tolist()
    [[-1.0], [1.0]]
    """
    del momentum
    x = floats(input, "batch_norm")
    if x.ndim < 2:
        raise ValueError(f"batch_norm takes an input (N, C, ...), not of shape {tuple(x.shape)}")
    if training:
        _expect_none(running_mean, running_var, "batch_norm")
        return _scaled(_of_several(x, (0, *range(2, x.ndim)), eps, "batch_norm"), weight, bias, "batch_norm")
    return _by_statistics(x, running_mean, running_var, weight, bias, eps, "batch_norm")


def _expect_none(mean: Any, var: Any, name: str) -> None:
    if mean is not None or var is not None:
        raise ValueError(
            f"{name} writes no running statistics: give None for them, and compute "
            "(1 - momentum) * running + momentum * x.mean(...) where you keep them"
        )


def _of_several(x: Any, axes: tuple[int, ...], eps: float, name: str) -> Any:
    """`_standardized`, of more than one entry."""
    if math.prod(x.shape[axis] for axis in axes) == 1:
        raise ValueError(f"{name}: shape {tuple(x.shape)} has one entry for a channel, whose variance is 0")
    return _standardized(x, axes, eps)


def _by_statistics(x: Any, mean: Any, var: Any, weight: Any, bias: Any, eps: float, name: str) -> Any:
    if mean is None or var is None:
        raise ValueError(f"{name} takes running_mean and running_var where it does not use the input's own")
    away = x - _of_channels(mean, x, f"{name}: running_mean")
    y = away / pnp.sqrt(_of_channels(var, x, f"{name}: running_var") + eps)
    return _scaled(y, weight, bias, name)


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Mean 0 and variance 1 of each group of channels, as `torch.nn.functional.group_norm`.

    input (N, C, ...), weight and bias (C). Y. Wu and K. He, "Group Normalization" (2018). ValueError where
    the channels make no such groups, and for other shapes.

    >>> import numpy as np
    >>> group_norm(np.array([[1.0, 3.0]]), 1, eps=0.0).tolist()
    [[-1.0, 1.0]]
    """
    x, (groups,) = floats(input, "group_norm"), whole(num_groups, 1, "num_groups")
    if x.ndim < 2 or x.shape[1] % groups:
        raise ValueError(
            f"group_norm: shape {tuple(x.shape)} has no {groups} groups of channels of equal size"
        )
    grouped = pnp.reshape(x, (x.shape[0], groups, math.prod(x.shape[1:]) // groups))
    return _scaled(pnp.reshape(_standardized(grouped, (2,), eps), x.shape), weight, bias, "group_norm")


def instance_norm(
    input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
    use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """Mean 0 and variance 1 of each channel of each instance, as `torch.nn.functional.instance_norm`.

    input (N, C, ...), all else (C). With `use_input_stats=False` by the statistics that are given, which are
    never written into: see `batch_norm`, whose errors these are. D. Ulyanov and others (2016).

    >>> import numpy as np
    >>> instance_norm(np.array([[[1.0, 3.0]]]), eps=0.0).tolist()
    [[[-1.0, 1.0]]]
    """
    del momentum
    x = floats(input, "instance_norm")
    if x.ndim < 3:
        raise ValueError(f"instance_norm takes an input (N, C, ...), not of shape {tuple(x.shape)}")
    if not use_input_stats:
        return _by_statistics(x, running_mean, running_var, weight, bias, eps, "instance_norm")
    _expect_none(running_mean, running_var, "instance_norm")
    y = _of_several(x, tuple(range(2, x.ndim)), eps, "instance_norm")
    return _scaled(y, weight, bias, "instance_norm")


def _norm(x: Any, p: float, dim: Any, keepdims: bool = False) -> Any:
    return pnp.linalg.vector_norm(x, ord=p, axis=dim, keepdims=keepdims)


def normalize(input: Any, p: float = 2.0, dim: int | tuple[int, ...] = 1, eps: float = 1e-12) -> Any:
    """x over its p-norm along an axis, as `torch.nn.functional.normalize`; a norm below eps counts as eps.

    >>> import numpy as np
    >>> normalize(np.array([3.0, 4.0]), dim=0).tolist()
    [0.6, 0.8]
    """
    x = floats(input, "normalize")
    return x / pnp.maximum(_norm(x, p, dim, True), eps)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along an axis, as `torch.nn.functional.cosine_similarity`.

    x1 and x2 are broadcast; a length below eps counts as eps.

    >>> import numpy as np
    >>> cosine_similarity(np.array([1.0, 0.0]), np.array([1.0, 0.0]), dim=0).item()
    1.0
    """
    a, b = pnp.broadcast_arrays(floats(x1, "cosine_similarity"), floats(x2, "cosine_similarity"))
    lengths = pnp.maximum(_norm(a, 2, dim), eps) * pnp.maximum(_norm(b, 2, dim), eps)
    return pnp.sum(a * b, axis=dim) / lengths


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of x1 - x2 + eps along the last axis, as `torch.nn.functional.pairwise_distance`.

    x1 and x2 are broadcast.

    >>> import numpy as np
    >>> pairwise_distance(np.array([3.0, 4.0]), np.zeros(2), eps=0.0).item()
    5.0
    """
    away = floats(x1, "pairwise_distance") - floats(x2, "pairwise_distance") + eps
    return _norm(away, p, -1, keepdim)


def pdist(input: Any, p: float = 2.0) -> Any:
    """The p-norms of the differences of all pairs of rows, as `torch.nn.functional.pdist`.

    input (N, M); the result (N (N - 1) / 2) has the pairs of the first row first. ValueError for other axes.

    >>> import numpy as np
    >>> pdist(np.array([[0.0], [1.0], [3.0]])).tolist()
    [1.0, 3.0, 2.0]
    """
    x = floats(input, "pdist")
    if x.ndim != 2:
        raise ValueError(f"pdist takes an input (N, M), not of shape {tuple(x.shape)}")
    rows, others = np.triu_indices(x.shape[0], 1)
    return _norm(x[rows] - x[others], p, -1)


def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:  # fmt: skip
    """x / (k + alpha mean(x^2))^beta, means over so many channels around each, axis 1.

    input (N, C, ...), with zeros around the channels. A. Krizhevsky and others, "ImageNet Classification"
    (2012). ValueError for fewer axes.

    >>> import numpy as np
    >>> local_response_norm(np.ones((1, 1, 1)), 1, alpha=1.0, beta=1.0).item()
    0.5
    """
    x, (size,) = floats(input, "local_response_norm"), whole(size, 1, "size")
    if x.ndim < 3:
        raise ValueError(f"local_response_norm takes an input (N, C, ...), not of shape {tuple(x.shape)}")
    squares = pnp.moveaxis(x * x, 1, -1)
    near = taps(padded(squares, [(size // 2, (size - 1) // 2)]), (size,), (1,), (1,))
    mean = pnp.moveaxis(sum(near[1:], near[0]), -1, 1) / size
    return x / (k + alpha * mean) ** beta
