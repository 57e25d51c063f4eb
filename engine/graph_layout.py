"""Where the boxes of a graph's picture go: layers, by `grandalf`'s Sugiyama layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MARGIN = 10


@dataclass
class Box:
    """Lines of text in a box; x and y of its middle are found by `placed`."""

    lines: list[str]
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


def placed(boxes: Sequence[Box], edges: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Place the boxes so that edges go downwards; width and height of the picture.

    ImportError, with what to install, where grandalf is missing.
    """
    try:
        from grandalf.graphs import Edge, Graph, Vertex
        from grandalf.layouts import SugiyamaLayout
    except ImportError as error:
        raise ImportError(
            'the picture of a graph needs grandalf: pip install "pullback[graph]"; its .dot needs nothing'
        ) from error
    vertices = [Vertex(box) for box in boxes]
    for vertex, box in zip(vertices, boxes, strict=True):
        vertex.view = _View(box.width, box.height)
    arrows = [Edge(vertices[older], vertices[younger]) for older, younger in edges]
    left = float(MARGIN)
    for component in Graph(vertices, arrows).C:
        layout = SugiyamaLayout(component)
        layout.init_all()
        layout.draw()
        inside = list(component.sV)
        west = min(vertex.view.xy[0] - vertex.view.w / 2 for vertex in inside)
        north = min(vertex.view.xy[1] - vertex.view.h / 2 for vertex in inside)
        for vertex in inside:
            vertex.data.x = vertex.view.xy[0] - west + left
            vertex.data.y = vertex.view.xy[1] - north + MARGIN
        left = max(vertex.data.x + vertex.data.width / 2 for vertex in inside) + MARGIN
    return left, max(box.y + box.height / 2 for box in boxes) + MARGIN


class _View:
    """What the layout reads of a vertex, and where it writes the place."""

    def __init__(self, w: float, h: float) -> None:
        self.w, self.h = w, h
        self.xy = (0.0, 0.0)
