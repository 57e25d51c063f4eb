"""Writes to entries that a mask or indexes pick: `np.put` and its kin, and ``out=`` with ``where=``.

Each is a recorded ``x[index] = values``, so it is right to every order where that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ..calls.call import arrays
from ..core.dispatch import engine_of
from ..mutation.inplace import fitted, refuse_cast, setitem


def put(a: Any, ind: Any, v: Any, mode: Literal["raise", "wrap", "clip"] = "raise") -> None:
    """As `np.put`, recorded: the entry ``ind[k]`` of the flattened tensor becomes ``v[k]``, `v` repeated."""
    places = np.take(np.arange(a.size), np.ravel(arrays(ind)), mode=mode)
    _write_places(a, places, v, np.arange(places.size), "np.put")


def place(arr: Any, mask: Any, vals: Any) -> None:
    """As `np.place`, recorded: the k-th entry that the mask picks becomes ``vals[k]``, `vals` repeated."""
    places = np.flatnonzero(_mask_of(arr, mask, "np.place"))
    if places.size and not np.size(arrays(vals)):
        raise ValueError("np.place: vals is empty, and there are entries to write")
    _write_places(arr, places, vals, np.arange(places.size), "np.place")


def putmask(a: Any, mask: Any, values: Any) -> None:
    """As `np.putmask`, recorded: an entry ``k`` that the mask picks becomes ``values[k]``, repeated."""
    places = np.flatnonzero(_mask_of(a, mask, "np.putmask"))
    _write_places(a, places, values, places, "np.putmask")


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """As `np.put_along_axis`, recorded."""
    indices = np.asarray(arrays(indices))
    if axis is None:
        setitem(arr, np.unravel_index(indices, arr.shape), values, what="np.put_along_axis")
        return
    index = list(np.ogrid[tuple(map(slice, indices.shape))])
    index[axis] = indices
    setitem(arr, tuple(index), values, what="np.put_along_axis")


def write_where(
    out: Any,
    mask: Any,
    compute: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    what: str,
) -> Any:
    """The entries of `out` that a mask picks become those of an elementwise function; returns `out`.

    The function sees these entries of its operands only: what it would do at the others is neither a
    warning nor a NaN in a gradient.
    """
    mask = np.broadcast_to(arrays(mask), out.shape)
    result = compute(*(spread(value, out.shape)[mask] for value in args), **kwargs)
    refuse_cast(result.dtype, out, what)
    setitem(out, mask, result, what=what)
    return out


def _mask_of(a: Any, mask: Any, name: str) -> Any:
    mask = np.asarray(arrays(mask), bool)
    if mask.size != a.size:
        raise ValueError(f"{name}: the mask has {mask.size} entries, and the tensor {a.size}")
    return mask


def _write_places(a: Any, places: Any, values: Any, which: Any, what: str) -> None:
    """Entries of the flattened tensor become these of the flattened values, which repeat."""
    flat = values.reshape(-1) if engine_of(values) is not None else np.ravel(values)
    if not flat.size or not places.size:
        return
    setitem(a, np.unravel_index(places, a.shape), flat[which % flat.size], what=what)


def spread(value: Any, shape: tuple[int, ...]) -> Any:
    """An array or a tensor, broadcast to a shape; recorded."""
    if engine_of(value) is None:
        return np.broadcast_to(value, shape)
    return fitted(value, shape, value.dtype)
