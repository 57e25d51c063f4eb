"""The minimum cut of a small directed graph.

In: capacities of edges, a source and a sink. Out: the nodes on the source's side
of a cut of least capacity, and the fewest of them. By augmenting paths, shortest
first (Edmonds and Karp 1972, "Theoretical improvements in algorithmic efficiency
for network flow problems").

>>> sorted(min_cut({("s", "a"): 3.0, ("a", "b"): 1.0, ("b", "t"): 2.0}, "s", "t"))
['a', 's']
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Mapping
from math import inf
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def min_cut(capacities: Mapping[tuple[Node, Node], float], source: Node, sink: Node) -> set[Node]:
    """The source's side of a minimum cut.

    Raises ValueError where the sink can't be cut off: a path of infinite capacity leads to it.
    """
    left: defaultdict[Node, dict[Node, float]] = defaultdict(dict)
    for (start, end), capacity in capacities.items():
        left[start][end] = left[start].get(end, 0.0) + capacity
        left[end].setdefault(start, 0.0)
    while True:
        came_from = _search(left, source, sink)
        if sink not in came_from:
            return set(came_from)
        path = []
        node = sink
        while node != source:
            path.append((came_from[node], node))
            node = came_from[node]
        flow = min(left[start][end] for start, end in path)
        if flow == inf:
            raise ValueError("a path of infinite capacity leads from the source to the sink")
        for start, end in path:
            left[start][end] -= flow
            left[end][start] += flow


def _search(left: Mapping[Node, Mapping[Node, float]], source: Node, sink: Node) -> dict[Node, Node]:
    """Where each node that can still be reached was reached from; stops at the sink."""
    came_from = {source: source}
    queue = deque([source])
    while queue and sink not in came_from:
        node = queue.popleft()
        for end, capacity in left[node].items():
            if capacity > 0 and end not in came_from:
                came_from[end] = node
                queue.append(end)
    return came_from
