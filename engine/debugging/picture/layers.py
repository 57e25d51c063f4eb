"""Layout in layers by grandalf, which needs no program beside Python.

K. Sugiyama, S. Tagawa and M. Toda, "Methods for Visual Understanding of
Hierarchical System Structures" (1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .boxes import Box, Edge, Path, last_of

GAP = 34.0  # pixels between one layer and the next
LANE = 12.0  # the width of the lane in which an edge passes a layer


def place(boxes: Sequence[Box], edges: Sequence[Edge]) -> dict[Edge, Path]:
    """Place the boxes and route the edges; ImportError, with what to install, where grandalf is missing.

    An edge over several layers has a lane of its own in each that it passes: there it
    is vertical, and it bends in the gaps between layers, where no box is.
    """
    try:
        from grandalf.graphs import Edge as Link
        from grandalf.graphs import Graph, Vertex
        from grandalf.layouts import SugiyamaLayout
    except ImportError as error:
        raise ImportError(
            'the picture of a graph needs Graphviz\'s `dot`, or grandalf: pip install "pullback[graph]"'
        ) from error

    class Arc(Link):  # type: ignore[misc]
        """An edge whose order in grandalf's sets, and so the picture, is the same in every run."""

        def __hash__(self) -> int:
            return hash(self.data)

    class Layered(SugiyamaLayout):  # type: ignore[misc]
        """A layout in which what is last stands in the last layer."""

        def rank_all(self, roots: Any, optimize: bool = False) -> None:
            super().rank_all(roots, optimize)
            for vertex in self.g.sV:
                rank = self.grx[vertex].rank
                if vertex.data in last and rank < len(self.layers) - 1:
                    self.layers[rank].remove(vertex)
                    self.layers[-1].append(vertex)
                    self.grx[vertex].rank = len(self.layers) - 1

    last = set(last_of(edges))
    vertices: list[Any] = [Vertex(index) for index in range(len(boxes))]
    for vertex, box in zip(vertices, boxes, strict=True):
        vertex.view = _View(box.width, box.height)
    arcs = [Arc(vertices[start], vertices[end], data=n) for n, (start, end) in enumerate(edges)]
    paths: dict[Edge, Path] = {}
    right = 0.0
    for component in Graph(vertices, arcs).C:
        layered = Layered(component)
        layered.xspace, layered.yspace = 16, GAP
        layered.dw, layered.dh = LANE, 1.0
        layered.init_all()
        layered.draw()
        right = _take(layered, boxes, paths, right) + 16
    return paths


class _View:
    """The size of a vertex, which the layout reads, and its place, which the layout writes."""

    def __init__(self, w: float, h: float) -> None:
        self.w, self.h = w, h
        self.xy = (0.0, 0.0)


def _take(layered: Any, boxes: Sequence[Box], paths: dict[Edge, Path], right: float) -> float:
    """Put a component that grandalf has placed to the right of those before; its own right end."""
    inside = list(layered.g.sV)
    lanes = [dummy for ctrl in layered.ctrls.values() for dummy in ctrl.values()]
    west = min(vertex.view.xy[0] - vertex.view.w / 2 for vertex in [*inside, *lanes])
    left: float = right - west
    bands = []  # top and bottom of each layer
    top = 0.0
    for layer in layered.layers:
        height = max(vertex.view.h for vertex in layer)
        bands.append((top, top + height))
        top += height + GAP
    for vertex in inside:
        box = boxes[vertex.data]
        box.x = vertex.view.xy[0] + left
        box.y = sum(bands[layered.grx[vertex].rank]) / 2
    for edge in layered.g.sE:
        start, end = edge.v
        first, final = layered.grx[start].rank, layered.grx[end].rank
        ctrl = layered.ctrls.get(edge, {})
        columns = [ctrl[rank].view.xy[0] + left for rank in range(first + 1, final)]
        box, other = boxes[start.data], boxes[end.data]
        path: Path = [(box.x, box.y + box.height / 2)]
        _straight(path, (box.x, bands[first][1]))
        for x, (above, below) in zip(columns, bands[first + 1 : final], strict=True):
            _bend(path, (x, above))
            _straight(path, (x, below))
        _bend(path, (other.x, bands[final][0]))
        _straight(path, (other.x, other.y - other.height / 2))
        paths[start.data, end.data] = path
    east: float = max(vertex.view.xy[0] + vertex.view.w / 2 for vertex in [*inside, *lanes])
    return left + east


def _straight(path: Path, end: tuple[float, float]) -> None:
    """Go on straight downwards, unless the path is there."""
    if end != path[-1]:
        path += [path[-1], end, end]


def _bend(path: Path, end: tuple[float, float]) -> None:
    """Cross a gap in a curve that is vertical at both ends."""
    x, y = path[-1]
    middle = (y + end[1]) / 2
    path += [(x, middle), (end[0], middle), end]
