"""Attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import numpy as pnp
from .arguments import expect_within, floats


def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """softmax(query key^T scale + mask) value, as `torch.nn.functional.scaled_dot_product_attention`.

    query (..., L, E), key (..., S, E), value (..., S, V); the result is (..., L, V). `attn_mask` (..., L, S)
    is bool, True where a pair takes part, or floats, which are added; `is_causal` leaves later keys out.
    `scale` is 1 / sqrt(E). With `enable_gqa` the heads, axis -3, of key and value are repeated for those of
    the query. A row of which nothing takes part is 0, as in torch. A. Vaswani and others, "Attention Is All
    You Need" (2017). ValueError for other shapes, for a mask together with `is_causal`, and for dropout,
    of which the mask would be drawn; TypeError for a mask of integers.

    >>> import numpy as np
    >>> one = np.ones((2, 1))
    >>> scaled_dot_product_attention(one, one, np.array([[1.0], [3.0]]), is_causal=True).ravel().tolist()
    [1.0, 2.0]
    """
    if dropout_p:
        raise ValueError(
            "attention draws no dropout: apply pb.nn.dropout with a mask to its weights or result"
        )
    if attn_mask is not None and is_causal:
        raise ValueError("attention takes attn_mask or is_causal, not both")
    query, key, value = (floats(x, "attention") for x in (query, key, value))
    if min(x.ndim for x in (query, key, value)) < 2 or (query.shape[-1], key.shape[-2]) != (
        key.shape[-1],
        value.shape[-2],
    ):
        raise ValueError(
            "attention takes query (..., L, E), key (..., S, E) and value (..., S, V): not "
            + ", ".join(str(tuple(x.shape)) for x in (query, key, value))
        )
    if enable_gqa:
        key, value = (_repeated(x, query) for x in (key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query * scale) @ pnp.matrix_transpose(key)
    if is_causal:
        attn_mask = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
    if attn_mask is None:
        return pnp.softmax(scores, axis=-1) @ value
    mask = expect_within(attn_mask, scores.shape, "attention: attn_mask")
    if mask.dtype.kind not in "bf":
        raise TypeError(f"attention takes a mask of bool, or of floats to add, not of {mask.dtype}")
    taken = mask if mask.dtype == bool else pnp.greater(mask, -np.inf)
    some = pnp.any(taken, axis=-1, keepdims=True)
    if mask.dtype == bool:
        scores = pnp.where(pnp.logical_or(mask, pnp.logical_not(some)), scores, -np.inf)
    else:
        scores = scores + pnp.where(some, mask, 0)
    return pnp.where(some, pnp.softmax(scores, axis=-1), 0) @ value


def _repeated(x: Any, query: Any) -> Any:
    """The heads of x, each as often as those of the query ask for."""
    heads, of_query = (y.shape[-3] if y.ndim > 2 else 0 for y in (x, query))
    if not heads or of_query % heads:
        raise ValueError(f"attention: {of_query} heads of a query are no multiple of {heads} of key or value")
    return pnp.repeat(x, of_query // heads, axis=-3)
