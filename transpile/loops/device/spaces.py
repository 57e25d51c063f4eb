"""Relations of a kernel's shapes: what broadcasts from what, and which entries have the same number."""

from __future__ import annotations

from ...ir.types import Expanded, Reduced, Shape, Unranked, join_shapes, reduced_shape
from .ir import Fibre


def canonical(shape: Shape) -> Shape:
    """The shape up to axes of length 1: arrays of two shapes that are canonically one have the same entries.

    >>> canonical((3, 1, "x.0"))
    (3, 'x.0')
    """
    if isinstance(shape, tuple):
        return tuple(dim for dim in shape if dim != 1)
    if len(shape.parts) != 1:
        return shape
    (only,) = shape.parts
    if isinstance(only, Expanded):
        return canonical(only.of)
    if isinstance(only, Reduced):
        if only.axes is None:
            return ()
        return Unranked(frozenset({Reduced(only.of, only.axes, True)}))
    return shape


def same_entries(first: Shape, second: Shape) -> bool:
    """True where the entries of both have the same numbers."""
    return canonical(first) == canonical(second)


def broadcasts(shape: Shape, to: Shape) -> bool:
    """True where arrays of one shape are known to broadcast to the other."""
    return join_shapes([shape, to]) == to


def fibre_of(group: Shape, whole: Shape) -> Fibre:
    """The entries of `whole` that belong to one of `group`, which broadcasts to it."""
    if canonical(group) == () and not (isinstance(whole, tuple) and canonical(whole) == ()):
        return "all"
    if group == _last(whole):
        return "row"
    return "map"


def _last(whole: Shape) -> Shape | None:
    if whole == ():
        return None
    return reduced_shape(whole, (-1,), True)
