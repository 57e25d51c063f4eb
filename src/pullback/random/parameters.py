"""Parameters of distributions: checked, and of one dtype and shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.core.dispatch import engine_of

Size = int | Sequence[int] | None


def checked(rng: Any, size: Size, name: str, **given: Any) -> tuple[tuple[int, ...], Any, list[Any]]:
    """The shape and dtype of samples, and the parameters as arrays or tensors of floats.

    Those whose names begin with "positive_" are above 0. TypeError for what is no generator, ValueError for
    other parameters and for a size that they are not broadcast to.

    >>> checked(np.random.default_rng(0), (2, 3), "normal", loc=[1, 2, 3])[:2]
    ((2, 3), dtype('float64'))
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"{name} draws from a numpy.random.Generator, as np.random.default_rng(seed), not from "
            f"{type(rng).__name__}"
        )
    parameters = []
    for what, value in given.items():
        found = value if engine_of(value) is not None else np.asarray(value)
        if found.dtype.kind not in "fiu":
            raise TypeError(f"{name}: {what.removeprefix('positive_')} is of floats, not {found.dtype}")
        values = np.asarray(found.detach().numpy() if hasattr(found, "detach") else found)
        if what.startswith("positive_") and not np.all(values > 0):
            raise ValueError(f"{name}: {what.removeprefix('positive_')} is above 0")
        parameters.append(found if found.dtype.kind == "f" else np.asarray(values, np.float64))
    whole = np.broadcast_shapes(*(tuple(value.shape) for value in parameters))
    shape = whole if size is None else (size,) if isinstance(size, int) else tuple(size)
    try:
        fits = np.broadcast_shapes(whole, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name}: parameters of shape {whole} are not broadcast to size {shape}")
    return shape, np.result_type(*(value.dtype for value in parameters)), parameters
