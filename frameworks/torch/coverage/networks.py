"""Functions of networks: those of `pullback.nn` have PyTorch's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pullback.numpy as np
from pullback import nn

from .arguments import NotTakenError, values_of
from .reductions import vector_norm

_PREFIX = "nn_functional_"
_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")
# Entries that are variants of a function.
_VARIANTS = {
    "pad": ("constant", "reflect", "replicate", "replicate_negative", "circular"),
    "interpolate": ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"),
    **{f"max_unpool{n}d": ("grad",) for n in (1, 2, 3)},
}


def _cdist(x: Any, y: Any, p: float = 2.0, compute_mode: Any = None) -> Any:
    return vector_norm(np.expand_dims(x, -2) - np.expand_dims(y, -3), p, -1)


def _grid_sampler(x: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    return nn.grid_sample(x, grid, _MODES[mode], _PADDINGS[padding], align_corners)


def _bilinear_upsampling(x: Any, size: Any = None, scale_factor: Any = None) -> Any:
    return nn.interpolate(x, size, scale_factor, "bilinear", True)


def _native_layer_norm(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, ...]:
    axis = tuple(range(x.ndim - len(shape), x.ndim))
    mean = np.mean(x, axis=axis, keepdims=True)
    scale = 1 / np.sqrt(np.var(x, axis=axis, keepdims=True) + eps)
    return nn.layer_norm(x, tuple(shape), weight, bias, eps), values_of(mean), values_of(scale)


def _pool(function: Callable[..., Any]) -> Callable[..., Any]:
    adaptive = "adaptive" in function.__name__

    def called(x: Any, *args: Any, return_indices: bool = False, **options: Any) -> Any:
        if return_indices or (adaptive and True in args[1:]):
            raise NotTakenError("the places of the largest entries")
        return function(x, *(args[:1] if adaptive else args), **options)

    return called


_POOLS = [f"{kind}max_pool{n}d" for kind in ("", "adaptive_") for n in (1, 2, 3)]
TABLE: dict[str, Callable[..., Any]] = {
    **{f"{_PREFIX}{name}": getattr(nn, name) for name in nn.__all__ if name != "dropout"},
    **{f"{_PREFIX}{name}_{each}": getattr(nn, name) for name, of in _VARIANTS.items() for each in of},
    **{f"grid_sampler_{n}d": _grid_sampler for n in (2, 3)},
    **{f"{_PREFIX}{name}": _pool(getattr(nn, name)) for name in _POOLS},
    "cdist": _cdist,
    "constant_pad_nd": lambda x, pad, value=0: nn.pad(x, pad, "constant", value),
    "native_layer_norm": _native_layer_norm,
    "nn_functional_embedding": lambda weight, index, **options: nn.embedding(index, weight, **options),
    "nn_functional_feature_alpha_dropout_without_train": lambda x, *_, **__: np.copy(x),
    "nn_functional_upsample_bilinear": _bilinear_upsampling,
    "nn_functional_upsample_nearest": lambda x, size=None, scale_factor=None: nn.interpolate(
        x, size, scale_factor, "nearest"
    ),
}
