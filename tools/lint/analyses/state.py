"""The values of names and attributes at a point of the analysed program, along the paths that lead there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .values import Thing, Value, union

Heap = dict[tuple[Thing, str], Value]


@dataclass
class State:
    """Local names, and attributes of objects."""

    names: dict[str, Value] = field(default_factory=dict)
    heap: Heap = field(default_factory=dict)

    def fork(self) -> State:
        """A copy for one branch."""
        return State(dict(self.names), dict(self.heap))


def join(states: Iterable[State | None]) -> State | None:
    """The state after branches; None for a branch that doesn't get here."""
    live = [state for state in states if state is not None]
    if not live:
        return None
    if len(live) == 1:
        return live[0]
    names = {key: union(*(s.names[key] for s in live if key in s.names)) for s in live for key in s.names}
    heap = {key: union(*(s.heap[key] for s in live if key in s.heap)) for s in live for key in s.heap}
    return State(names, heap)


def join_heaps(heaps: list[Heap]) -> Heap:
    """The attributes after several returns."""
    if len(heaps) == 1:
        return heaps[0]
    return {key: union(*(heap[key] for heap in heaps if key in heap)) for heap in heaps for key in heap}
