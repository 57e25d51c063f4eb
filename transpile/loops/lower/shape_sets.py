"""Shapes as sets of names: what can be known of a shape before any array is there.

A value's shape is the broadcast of the shapes in its set, so values with
equal sets share a loop. A reduction that keeps its axes broadcasts back to
what it reduced and adds nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterable

from .kernel import ShapeSet

SCALAR: ShapeSet = frozenset()

# What broadcasts to something that it names.
_HELD = frozenset({"keep", "part"})


def join(shapes: Iterable[ShapeSet]) -> ShapeSet:
    """The set of a broadcast.

    >>> x = frozenset({"x"})
    >>> join([x, retained(x, -1)]) == x
    True
    """
    result = frozenset[object]().union(*shapes)
    absorbed = {t for t in result if isinstance(t, tuple) and t[0] in _HELD and t[1] <= result - {t}}
    return result - absorbed


def part(shape: ShapeSet, name: str) -> ShapeSet:
    """The set of something that is known to broadcast to a shape.

    >>> x = frozenset({"x"})
    >>> join([x, part(x, "weight")]) == x
    True
    """
    return frozenset({("part", shape, name)})


def is_per_row(shape: ShapeSet) -> bool:
    """True where a shape has one element for a whole row of something, or one in all."""
    return all(isinstance(token, tuple) and token[0] == "keep" for token in shape)


def is_held(shape: ShapeSet) -> bool:
    """True where a shape is known to broadcast to others."""
    return all(isinstance(token, tuple) and token[0] in _HELD for token in shape)


def is_once(shape: ShapeSet) -> bool:
    """True where a shape has length one along the last axis of what it broadcasts to.

    >>> is_once(retained(frozenset({"x"}), -1)), is_once(retained(frozenset({"x"}), 0))
    (True, False)
    """
    return bool(shape) and is_per_row(shape) and all(is_along(token[2]) for token in shape)  # type: ignore[index]


def is_along(axis: object) -> bool:
    """True where a reduction over these axes is one over the last."""
    return axis is None or axis == -1 or (isinstance(axis, tuple) and -1 in axis)


def retained(shape: ShapeSet, axis: object) -> ShapeSet:
    """The set of a reduction with ``keepdims=True``."""
    return frozenset({("keep", shape, axis)}) if shape else SCALAR


def reduced(shape: ShapeSet, axis: object, keepdims: bool) -> ShapeSet:
    """The set of a reduction."""
    if keepdims:
        return retained(shape, axis)
    return SCALAR if axis is None else frozenset({("drop", shape, axis)})


# What brings the axes of a reduction back, or drops those that it retained.
_BACK = {"expand_dims": "drop", "squeeze": "keep"}


def view(op: str, shape: ShapeSet, arguments: object) -> ShapeSet:
    """The set of a rearrangement, equal for equal arguments."""
    if op in _BACK and len(shape) == 1:
        (token,) = shape
        if isinstance(token, tuple) and token[0] == _BACK[op] and token[2] == arguments:
            return (
                retained(token[1], arguments) if op == "expand_dims" else reduced(token[1], arguments, False)
            )
    return frozenset({(op, shape, arguments)})
