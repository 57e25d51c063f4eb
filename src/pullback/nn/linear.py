"""Linear and bilinear maps, rows of a table, and dropout by a given mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as pnp
from ..engine.primitives.plumbing import stop_gradient
from .arguments import array, expect_indices, expect_shape, expect_within, floats, integers, known


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """x weight^T + bias, as `torch.nn.functional.linear`.

    input (..., I), weight (O, I) and bias (O); or weight (I) and bias (). ValueError for other shapes.

    >>> import numpy as np
    >>> linear(np.ones(2), np.array([[1.0, 2.0]])).tolist()
    [3.0]
    """
    x, weight = floats(input, "linear"), floats(weight, "linear")
    if weight.ndim not in (1, 2) or x.ndim < 1 or x.shape[-1] != weight.shape[-1]:
        raise ValueError(
            f"linear: an input of shape (..., I) takes a weight (O, I) or (I): not {tuple(x.shape)} with "
            f"{tuple(weight.shape)}"
        )
    y = x @ pnp.matrix_transpose(weight) if weight.ndim > 1 else x @ weight
    return y if bias is None else y + expect_shape(bias, weight.shape[:-1], "linear: bias")


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """x1^T weight_o x2 + bias_o for each o, as `torch.nn.functional.bilinear`.

    input1 (..., I), input2 (..., J), weight (O, I, J) and bias (O). ValueError for other shapes.

    >>> import numpy as np
    >>> bilinear(np.ones(2), np.ones(3), np.ones((1, 2, 3))).tolist()
    [6.0]
    """
    x, y, weight = (floats(value, "bilinear") for value in (input1, input2, weight))
    if x.shape[:-1] != y.shape[:-1] or tuple(weight.shape[1:]) != (*x.shape[-1:], *y.shape[-1:]):
        raise ValueError(
            f"bilinear: inputs (..., I) and (..., J) take a weight (O, I, J): not {tuple(x.shape)} and "
            f"{tuple(y.shape)} with {tuple(weight.shape)}"
        )
    result = pnp.einsum("...i,oij,...j->...o", x, weight, y)
    return result if bias is None else result + expect_shape(bias, weight.shape[:1], "bilinear: bias")


def dropout(input: Any, p: float = 0.5, training: bool = True, *, mask: Any = None) -> Any:
    """x where the mask holds, over 1 - p; x itself outside of training.

    The mask is given, so that a gradient is that of the values: ``rng.random(x.shape) >= p``. A smaller one
    is broadcast: of shape (N, C, 1, 1) it takes whole channels, as `dropout2d`. TypeError without one where
    it is needed and for one that is not of bool, ValueError for a p that is no probability.

    >>> import numpy as np
    >>> dropout(np.ones(4), 0.5, mask=np.array([True, False, True, True])).tolist()
    [2.0, 0.0, 2.0, 2.0]
    """
    x = floats(input, "dropout")
    if not 0 <= p <= 1:
        raise ValueError(f"dropout: p is a probability, not {p!r}")
    if not training or (p == 0 and mask is None):
        return input
    if mask is None:
        raise TypeError("dropout takes the mask that it applies: mask=rng.random(x.shape) >= p")
    mask = expect_within(mask, x.shape, "dropout: a mask")
    if mask.dtype != bool:
        raise TypeError(f"dropout takes a mask of bool, True where x stays, not of {mask.dtype}")
    return pnp.where(mask, x, 0) * (0 if p == 1 else 1 / (1 - p))


def embedding(input: Any, weight: Any, padding_idx: int | None = None) -> Any:
    """The rows of a table that integers name, as `torch.nn.functional.embedding`.

    input (...), weight (V, D); the result is (..., D). The row `padding_idx` takes no gradient. IndexError
    outside of the table, TypeError for indices that are no integers.

    >>> import numpy as np
    >>> embedding(np.array([1, 1]), np.array([[0.0], [5.0]])).tolist()
    [[5.0], [5.0]]
    """
    places, table = integers(input, "embedding"), array(weight)
    if table.ndim != 2:
        raise ValueError(f"embedding takes a weight (V, D), not of shape {tuple(table.shape)}")
    count = table.shape[0]
    expect_indices(places, count, IndexError, f"embedding: an index is outside of the {count} rows")
    rows = pnp.take(table, places, axis=0)
    if padding_idx is None:
        return rows
    if not -count <= padding_idx < count:
        raise IndexError(f"embedding: padding_idx {padding_idx} is outside of the {count} rows")
    padding = pnp.expand_dims(pnp.equal(places, padding_idx % count), -1)
    return pnp.where(padding, stop_gradient(rows), rows)


def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """A row for each integer that is 1 there and 0 elsewhere, int64, as `torch.nn.functional.one_hot`.

    With `num_classes` of -1 as many as the largest integer asks for. ValueError for others outside.

    >>> import numpy as np
    >>> one_hot(np.array([0, 2])).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    places = integers(tensor, "one_hot")
    count = num_classes
    if count == -1:
        seen = known(places)
        if seen is None or not seen.size:
            raise ValueError("one_hot: num_classes is needed where there is no largest integer to see")
        count = int(seen.max()) + 1
    expect_indices(places, count, ValueError, f"one_hot: a class is outside of the {count}")
    return pnp.equal(pnp.expand_dims(places, -1), np.arange(count)).astype(np.int64)
