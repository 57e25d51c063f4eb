"""Options that losses share: the reduction, the weights, and the checks of targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import numpy as pnp
from ..arguments import expect_shape, expect_within, floats, known


def reduced(loss: Any, reduction: str, weight: Any = None) -> Any:
    """The loss as it is, its sum, or its mean, which a weight divides where it is given."""
    if reduction == "none":
        return loss
    if reduction == "sum":
        return pnp.sum(loss)
    if reduction != "mean":
        raise ValueError(f"reduction is 'none', 'mean' or 'sum', not {reduction!r}")
    return pnp.mean(loss) if weight is None else pnp.sum(loss) / weight


def weighted(loss: Any, weight: Any, reduction: str, name: str) -> Any:
    """A loss of weighted entries, whose mean is over the weights."""
    if weight is None:
        return reduced(loss, reduction)
    weight = expect_shape(weight, loss.shape, f"{name}: weight")
    return reduced(loss * weight, reduction, pnp.sum(weight))


def times(loss: Any, weight: Any, reduction: str, name: str) -> Any:
    """A loss times a weight, whose mean is over entries."""
    if weight is not None:
        loss = loss * expect_within(weight, loss.shape, f"{name}: weight")
    return reduced(loss, reduction)


def pair(input: Any, target: Any, name: str) -> tuple[Any, Any]:
    """Input and target of one shape, in floats: integers in the input's dtype, which they would widen."""
    x = floats(input, name)
    return x, as_floats(expect_shape(target, x.shape, f"{name}: a target for this input"), x)


def as_floats(target: Any, x: Any) -> Any:
    """A target in floats: integers and booleans in the dtype of x, which they would widen."""
    return target.astype(x.dtype) if target.dtype.kind in "biu" else target


def signs(target: Any, x: Any, name: str) -> Any:
    """A target of 1 and -1 in the dtype of x. ValueError for other values."""
    found = as_floats(expect_within(target, x.shape, f"{name}: a target"), x)
    seen = known(found)
    if seen is not None and not np.all(np.abs(seen) == 1):
        raise ValueError(f"{name} takes a target of 1 and -1")
    return found
