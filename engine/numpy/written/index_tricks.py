"""`r_` and `c_`: arrays and slices joined by an index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...calls.call import operators
from ...core.dispatch import engine_of


class JoinedByIndex:
    """As `np.r_` or `np.c_`; where tensors are among the parts a tensor comes out, recorded.

    >>> import pullback as pb, pullback.numpy as pnp
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> pnp.r_[x, 0, 5:7]
    tensor([1., 2., 0., 5., 6.], grad_fn=<getitem>)
    >>> pnp.c_[x, x].shape
    (2, 2)
    """

    def __init__(self, join: Any) -> None:
        self._join = join

    def __repr__(self) -> str:
        return f"<as {type(self._join).__name__} of NumPy, for tensors too>"

    def __getitem__(self, key: Any) -> Any:
        """The parts joined. Where each entry of the result comes from, NumPy says of their positions."""
        parts = key if isinstance(key, tuple) else (key,)
        if engine_of(*parts) is None:
            return self._join[key]
        entries: list[Any] = []
        places: list[Any] = []
        count = 0
        for part in parts:
            if isinstance(part, str):
                places.append(part)
                continue
            values = np.r_[part] if isinstance(part, slice) else part
            shape = np.shape(values)
            size = int(np.prod(shape, dtype=int))
            positions = np.arange(count, count + size).reshape(shape)
            places.append(positions if shape else int(positions))
            entries.append(operators.reshape(values, shape=(size,)))
            count += size
        return operators.getitem(operators.concatenate(entries), index=self._join[tuple(places)])


r_ = JoinedByIndex(np.r_)
c_ = JoinedByIndex(np.c_)
