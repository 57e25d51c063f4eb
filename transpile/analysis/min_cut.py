"""The minimum cut of a directed graph.

In: capacities of edges, a source and a sink. Out: the nodes on the source's side
of a cut of least capacity, and the fewest of them. By blocking flows, along shortest
paths first (Dinic 1970, "Algorithm for solution of a problem of maximum flow in a
network with power estimation").

>>> sorted(min_cut({("s", "a"): 3.0, ("a", "b"): 1.0, ("b", "t"): 2.0}, "s", "t"))
['a', 's']
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise
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
        distance = _distances(left, source)
        if sink not in distance:
            return set(distance)
        for path in _shortest_paths(left, distance, source, sink):
            flow = min(left[start][end] for start, end in path)
            if flow == inf:
                raise ValueError("a path of infinite capacity leads from the source to the sink")
            for start, end in path:
                left[start][end] -= flow
                left[end][start] += flow


def _distances(left: Mapping[Node, Mapping[Node, float]], source: Node) -> dict[Node, int]:
    """The number of edges from the source to each node that can still be reached."""
    distance = {source: 0}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        for end, capacity in left[node].items():
            if capacity > 0 and end not in distance:
                distance[end] = distance[node] + 1
                queue.append(end)
    return distance


def _shortest_paths(
    left: Mapping[Node, Mapping[Node, float]], distance: Mapping[Node, int], source: Node, sink: Node
) -> Iterator[list[tuple[Node, Node]]]:
    """The shortest paths, one after the other, until none is left; the caller fills each before the next.

    An edge from which the sink is not reached is not tried again.
    """
    untried = {node: iter(left[node]) for node in distance}
    edges: dict[Node, Node | None] = {}  # the edge under way of each node on the path
    path = [source]
    while path:
        node = path[-1]
        if node == sink:
            yield list(pairwise(path))
            path = [source]
            continue
        end = edges.get(node)
        while end is None or left[node][end] <= 0 or distance.get(end, -1) != distance[node] + 1:
            end = next(untried[node], None)
            if end is None:
                break
        edges[node] = end
        if end is not None:
            path.append(end)
            continue
        path.pop()
        if path:
            edges[path[-1]] = None
