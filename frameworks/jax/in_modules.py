"""Functions that modules of `pullback transpile --target jax` call, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .primitives import sum_to


def transposed(
    pullback: Callable[..., Sequence[Any]], outputs: Sequence[Any], tangents: Sequence[Any]
) -> Any:
    """Tangents of outputs, by the transpose of a closure; of operands that are integers there are none."""
    leaves = map(jax.tree.leaves, tangents)
    moving = [k for k, each in enumerate(leaves) if any(one.dtype != jax.dtypes.float0 for one in each)]

    def gradients(*cotangents: Any) -> list[Any]:
        found = pullback(*cotangents)
        return [found[k] for k in moving]

    return jax.linear_transpose(gradients, *outputs)([tangents[k] for k in moving])


def left_gradient(grad: Any, right: Any, like: Any) -> Any:
    """The gradient of a product's left factor, of its shape and dtype."""
    columns, matrix = (grad[..., None], right[:, None]) if jnp.ndim(right) == 1 else (grad, right)
    rows = columns[..., None, :] if len(like.shape) == 1 else columns
    return sum_to(rows @ jnp.swapaxes(matrix, -1, -2), like)


def right_gradient(grad: Any, left: Any, like: Any) -> Any:
    """The gradient of a product's right factor, of its shape and dtype."""
    columns = grad[..., None] if len(like.shape) == 1 else grad
    rows, matrix = (columns[..., None, :], left[None]) if jnp.ndim(left) == 1 else (columns, left)
    found = jnp.swapaxes(matrix, -1, -2) @ rows
    return sum_to(found[..., 0] if len(like.shape) == 1 else found, like)
