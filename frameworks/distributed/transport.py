"""Functions that formulas of collective operators call: methods of the group, on arrays."""

from __future__ import annotations

from typing import Any


def total(x: Any, group: Any) -> Any:
    """The sum over all processes."""
    return group.total(x)


def total_at(x: Any, root: int, group: Any) -> Any:
    """The sum over all processes in one of them, zeros in the others."""
    return group.total_at(x, root)


def value_of(x: Any, root: int, group: Any) -> Any:
    """The value of one process."""
    return group.value_of(x, root)


def joined(x: Any, axis: int, group: Any) -> Any:
    """The values of all processes, joined along an axis."""
    return group.joined(x, axis)


def part_of_total(x: Any, axis: int, group: Any) -> Any:
    """A process's part of the sum."""
    return group.part_of_total(x, axis)


def exchanged(x: Any, axis: int, group: Any) -> Any:
    """The parts that all processes have for this one."""
    return group.exchanged(x, axis)


def sent(x: Any, dest: int, tag: int, group: Any) -> Any:
    """Zeros, after the value was sent."""
    return group.sent(x, dest, tag)


def received(like: Any, source: int, tag: int, group: Any) -> Any:
    """The array that was sent to this process."""
    return group.received(like, source, tag)


def zeros(x: Any, group: Any) -> Any:
    """Zeros of the shape and dtype of an array."""
    return group.zeros(x)
