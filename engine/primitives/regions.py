"""Parts of an array, as a view or an in-place write picks them: taken, put back, cleared.

A view of a tensor is a region of its base. When the base is written, the view's
history becomes `take_region` of the base; a write into the view is the base
with a region cleared, and the values written there. All three are linear, and
operators with a formula in `formulas/`; what stands here is their meaning on
arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .plumbing import recorded

Array = np.ndarray[Any, Any]


class Region(NamedTuple):
    """A set of entries of an array, by their place in row-major order.

    base       shape of the array
    shape      of the region
    offset     place of its first entry, where it is strided
    strides    places from one entry to the next along each axis; None where `places` lists them
    places     the place of each entry, where there is no simpler description
    unwritten  True for an entry that a later one of the same place replaces

    >>> a = np.arange(6.0).reshape(2, 3)
    >>> region_of(a, a[:, 1]).all_places()
    array([1, 4])
    """

    base: tuple[int, ...]
    shape: tuple[int, ...]
    offset: int = 0
    strides: tuple[int, ...] | None = None
    places: Array | None = None
    unwritten: Array | None = None

    def __repr__(self) -> str:
        return f"<region {self.shape} of {self.base}>"

    @property
    def overlaps(self) -> bool:
        """True where an entry may occur twice."""
        return self.strides is None or any(
            n > 1 and s == 0 for n, s in zip(self.shape, self.strides, strict=True)
        )

    def all_places(self) -> Array:
        """The place of each entry."""
        if self.places is not None:
            return self.places
        places = np.full(self.shape, self.offset)
        for axis, (n, stride) in enumerate(zip(self.shape, self.strides or (), strict=True)):
            places += (np.arange(n) * stride).reshape((n,) + (1,) * (len(self.shape) - axis - 1))
        return places


def region_of(base: Array, view: Array) -> Region:
    """The region of `base` that `view` shows: an array over a part of its memory.

    >>> a = np.zeros((3, 4))
    >>> region_of(a, a[1:, 2]).all_places()
    array([ 6, 10])
    """
    if base.flags.c_contiguous:
        item = base.itemsize
        offset = (_address(view) - _address(base)) // item
        return Region(base.shape, view.shape, offset, tuple(stride // item for stride in view.strides))
    known = _addresses(base).ravel()
    order = np.argsort(known, kind="stable")
    places = order[np.searchsorted(known[order], _addresses(view))]
    return Region(base.shape, view.shape, places=places)


def region_at(array: Array, index: Any) -> Region:
    """The region of `array` that ``array[index] = ...`` writes, for an index with arrays in it.

    >>> region_at(np.zeros(5), [3, 1, 3]).unwritten
    array([ True, False, False])
    """
    places = np.arange(array.size).reshape(array.shape)[index]
    order = np.arange(places.size).reshape(places.shape)
    last = np.zeros(array.size, order.dtype)
    last.reshape(array.shape)[index] = order
    unwritten = last[places] != order
    return Region(array.shape, places.shape, places=places, unwritten=unwritten if unwritten.any() else None)


def listed_region(base: tuple[int, ...], places: Any, unwritten: Any = None) -> Region:
    """The region of these places of an array of a shape.

    >>> listed_region((2, 3), np.array([1, 4])).all_places()
    array([1, 4])
    """
    listed = np.asarray(places)
    hidden = None if unwritten is None else np.asarray(unwritten)
    return Region(base, listed.shape, places=listed, unwritten=hidden)


def inside(outer: Region, inner: Region) -> Region:
    """A region of a region, as one of the outer one's array."""
    places = outer.all_places().reshape(-1)[inner.all_places()]
    return Region(outer.base, inner.shape, places=places, unwritten=inner.unwritten)


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _addresses(array: Array) -> Array:
    """The address of each entry."""
    addresses = np.full(array.shape, _address(array))
    for axis, (n, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        addresses += (np.arange(n) * stride).reshape((n,) + (1,) * (array.ndim - axis - 1))
    return addresses


def _view(a: Array, region: Region) -> Array:
    """A strided region of an array in row-major order."""
    if 0 in region.shape:
        return np.zeros(region.shape, a.dtype)
    assert region.strides is not None
    strides = tuple(stride * a.itemsize for stride in region.strides)
    return np.ndarray(region.shape, a.dtype, a, region.offset * a.itemsize, strides)


@recorded
def take_region(a: Any, region: Region) -> Any:
    """The entries of a region; zero for those that the write of another one replaced.

    >>> a = np.arange(6.0).reshape(2, 3)
    >>> take_region(a, region_of(a, a[:, 1]))
    array([1., 4.])
    """
    a = np.asarray(a, order="C")
    if region.places is None:
        return _view(a, region)
    taken = a.reshape(-1)[region.places]
    if region.unwritten is not None:
        taken[region.unwritten] = 0
    return taken


@recorded
def spread_region(a: Any, region: Region) -> Any:
    """Zeros with `a` added at a region: the adjoint of `take_region`.

    >>> base = np.zeros((2, 3))
    >>> spread_region(np.array([1.0, 4.0]), region_of(base, base[:, 1]))
    array([[0., 1., 0.],
           [0., 4., 0.]])
    """
    a = np.asarray(a)
    out = np.zeros(region.base, a.dtype)
    if not region.overlaps:
        _view(out, region)[...] = a
        return out
    if region.unwritten is not None:
        a = np.where(region.unwritten, 0, a)
    np.add.at(out.reshape(-1), region.all_places(), a)
    return out


def put_region(a: Any, value: Any, region: Region) -> Any:
    """A copy of an array with these values at a region.

    >>> a = np.zeros((2, 3))
    >>> put_region(a, [1.0, 2.0], region_of(a, a[:, 1]))
    array([[0., 1., 0.],
           [0., 2., 0.]])
    """
    values = np.broadcast_to(np.asarray(value, np.asarray(a).dtype), region.shape)
    return clear_region(a, region) + spread_region(values, region)


@recorded
def clear_region(a: Any, region: Region) -> Any:
    """A copy of `a` with zeros at a region.

    >>> a = np.ones((2, 3))
    >>> clear_region(a, region_of(a, a[:, 1]))
    array([[1., 0., 1.],
           [1., 0., 1.]])
    """
    out = np.array(a, order="C")
    if region.places is None:
        _view(out, region)[...] = 0
    else:
        out.reshape(-1)[region.places] = 0
    return out
