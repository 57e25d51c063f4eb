"""Entries taken by an index, and put back there."""

from __future__ import annotations

from typing import Any

import torch


def places(index: Any, shape: Any, device: Any) -> torch.Tensor:
    """The place of each entry of ``x[index]`` among all entries of an `x` of this shape."""
    count = 1
    for length in shape:
        count *= length
    return getitem(torch.arange(count, device=device).reshape(shape), index)


def is_place(part: Any) -> bool:
    """True for a whole number in a tensor without axes."""
    return isinstance(part, torch.Tensor) and part.ndim == 0 and part.dtype != torch.bool


def beside_arrays(parts: tuple[Any, ...], device: Any) -> tuple[Any, ...]:
    """The parts of an index, in which NumPy takes whole numbers for arrays where there is an array."""
    most = max([part.ndim for part in parts if isinstance(part, torch.Tensor)], default=0)
    if most == 0:
        return parts
    return tuple(
        [
            torch.as_tensor(part, device=device).reshape((1,) * most)
            if is_place(part) or (isinstance(part, (int, torch.SymInt)) and not isinstance(part, bool))
            else part
            for part in parts
        ]
    )


def select(x: torch.Tensor, axis: int, place: torch.Tensor) -> torch.Tensor:
    """The entries at a place on an axis, which stays. Python would have to know the number."""
    place = torch.where(place < 0, place + x.shape[axis], place)
    return torch.index_select(x, axis, place.reshape(1))


def getitem(x: torch.Tensor, index: Any) -> torch.Tensor:
    """``x[index]``, whose slices may step backwards, and whose numbers may be tensors.

    >>> getitem(torch.arange(4), slice(None, None, -1))
    tensor([3, 2, 1, 0])
    """
    parts = beside_arrays(index, x.device) if isinstance(index, tuple) else (index,)
    backwards = [isinstance(part, slice) and part.step is not None and part.step < 0 for part in parts]
    places = [is_place(part) for part in parts]
    if not any(backwards) and not any(places):
        return x[parts] if isinstance(index, tuple) else x[index]
    used = sum(part is not None and part is not Ellipsis for part in parts)
    axis = 0
    made = []
    for part, turned, place in zip(parts, backwards, places, strict=True):
        if place:
            x, part = select(x, axis, part), 0
        elif turned:
            chosen = range(x.shape[axis])[part]
            x = torch.flip(x, (axis,))
            last = x.shape[axis] - 1
            start = last - chosen[0] if len(chosen) else 0
            part = slice(start, last - chosen[-1] + 1 if len(chosen) else 0, -part.step)
        made.append(part)
        axis += x.ndim - used if part is Ellipsis else int(part is not None)
    # All of it as it is: old batching rules have none for an alias.
    return x if made == [slice(0, x.shape[0], 1)] else x[tuple(made)]


def unslice(a: torch.Tensor, index: Any, shape: Any) -> torch.Tensor:
    """Zeros of a shape with `a` added at an index: the adjoint of indexing.

    >>> unslice(torch.ones(2), index=slice(0, 4, 2), shape=(5,))
    tensor([1., 0., 1., 0., 0.])
    """
    return scattered(a, places(index, shape, a.device), shape)


def last_written(index: Any, shape: Any) -> torch.Tensor:
    """For each entry of ``x[index]``, whether no later one has the same place."""
    spots = places(index, shape, None)
    entries = torch.arange(spots.numel())
    last = torch.zeros(int(torch.Size(shape).numel()), dtype=torch.int64)
    last = last.scatter_reduce(0, spots.reshape(-1), entries, "amax", include_self=False)
    return (last[spots.reshape(-1)] == entries).reshape(spots.shape)


def index_put(a: torch.Tensor, value: Any, index: Any, repeated: bool = False) -> torch.Tensor:
    """A copy of `a` in which `value` stands at an index.

    >>> index_put(torch.zeros(3), 1.0, index=slice(1, None))
    tensor([0., 1., 1.])
    """
    value = torch.as_tensor(value, dtype=a.dtype, device=a.device)
    mask = isinstance(index, torch.Tensor) and index.dtype == torch.bool and index.shape == a.shape
    if mask and value.ndim == 0:  # how many entries are written need not be known
        return torch.where(index, value, a)
    spots = places(index, a.shape, a.device)
    values = value.expand(spots.shape).reshape(-1)
    row, spots = a.reshape(-1), spots.reshape(-1)
    if not repeated:
        return row.index_put((spots,), values).reshape(a.shape)
    last = last_written(spots, row.shape)
    kept = row.index_put((spots,), torch.zeros_like(values))
    return torch.index_add(kept, 0, spots, torch.where(last, values, 0)).reshape(a.shape)


def put_along(a: torch.Tensor, indices: torch.Tensor, axis: int, shape: Any) -> torch.Tensor:
    """Zeros of a shape with `a` added at indices along an axis: the adjoint of `take_along_axis`.

    >>> put_along(torch.tensor([1.0, 2.0, 4.0]), torch.tensor([1, 1, 0]), 0, (3,))
    tensor([4., 3., 0.])
    """
    every = torch.arange(torch.Size(shape).numel(), device=a.device).reshape(shape)
    return scattered(a, torch.take_along_dim(every, torch.as_tensor(indices), dim=axis), shape)


def scattered(a: torch.Tensor, spots: torch.Tensor, shape: Any) -> torch.Tensor:
    """Zeros of a shape with the entries of `a` added at their places."""
    zeros = torch.zeros(shape, dtype=a.dtype, device=a.device).reshape(-1)
    values = a.expand(spots.shape).reshape(-1)
    return torch.index_add(zeros, 0, spots.reshape(-1), values).reshape(shape)


def digitize(x: torch.Tensor, bins: torch.Tensor, right: bool = False) -> torch.Tensor:
    """`np.digitize`: the number of the bin that each entry falls into, bounds being in either order.

    >>> digitize(torch.tensor([0.5, 1.0, 3.0]), torch.tensor([0.0, 1.0, 2.0]))
    tensor([1, 2, 3])
    """
    dtype = torch.promote_types(x.dtype, bins.dtype)
    x, bins = x.to(dtype).contiguous(), bins.to(dtype)
    rising = torch.searchsorted(bins.contiguous(), x, right=not right)
    falling = bins.shape[0] - torch.searchsorted(bins.flip(0), x, right=not right)
    return torch.where(bins[0] <= bins[-1], rising, falling) if bins.shape[0] else rising
